"use strict";
// The page of the app. Names and texts of files are shown as text, never as markup.

const ROLES = {
  "": "feature", target: "label: what to tell apart", id: "sample id", groups: "group (patient, donor)",
  blocks: "batch (site, plate)", covariates: "covariate (age, sex)", drop: "leave out",
};
const SHEET_ROLES = { ...ROLES, "": "not used" };
delete SHEET_ROLES.drop;
const NAMES = {
  "report.html": "Report", "features.csv": "Selected features", "model.skops": "Model",
  "predictions.csv": "Predictions", "comparison.csv": "Scores of the comparison",
};
const STATES = { queued: "waiting", running: "running", done: "done", failed: "failed", cancelled: "cancelled" };
const chosen = { table: null, sheet: null, model: null, fresh: null };
let jobs = [];
let shown = null; // the job in view, as far as it was drawn: its id and its state

const $ = (id) => document.getElementById(id);

function element(kind, text, attributes = {}) {
  const made = document.createElement(kind);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function fill(place, ...children) {
  $(place).replaceChildren(...children);
}

function say(place, text) {
  $(place).textContent = text;
  $(place).hidden = !text;
}

// ------------------------------------------------------------------ the server

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    $("gone").hidden = false;
    throw error;
  }
  $("gone").hidden = answer.status !== 403;
  const found = await answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
  if (!answer.ok) throw new Error(found.error);
  return found;
}

function send(path, body, headers = {}) {
  return ask(path, { method: "POST", body, headers: { "X-Centroidal": "1", ...headers } });
}

const sendJson = (path, value) => send(path, JSON.stringify(value), { "Content-Type": "application/json" });

// ------------------------------------------------------------------ files

async function upload(file) {
  const { max_upload: most } = await choices;
  if (file.size > most) throw new Error(`${file.name} has ${megabytes(file.size)}; ${megabytes(most)} are allowed.`);
  return send(`/api/files?name=${encodeURIComponent(file.name)}`, file);
}

const megabytes = (n) => `${(n / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;

function whenChosen(input, status, take) {
  const area = document.querySelector(`[data-for=${input}]`);
  const receive = async (file) => {
    if (!file) return;
    say(status, `Reading ${file.name} …`);
    await trying(status, async () => take(await upload(file)));
  };
  $(input).addEventListener("change", () => receive($(input).files[0]));
  area.addEventListener("dragover", (event) => { event.preventDefault(); area.classList.add("over"); });
  area.addEventListener("dragleave", () => area.classList.remove("over"));
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    area.classList.remove("over");
    receive(event.dataTransfer.files[0]);
  });
}

async function trying(status, act) {
  $(status).className = "";
  try {
    await act();
  } catch (error) {
    $(status).className = "trouble";
    say(status, error.message);
  }
}

const look = (id, transpose) => ask(`/api/files/${id}${transpose ? "?transpose=1" : ""}`);

function describe({ name, preview }) {
  if (!preview) return `${name} was read. It has arrays instead of columns: name the array of labels below (often y).`;
  const { n_rows: rows, n_columns: columns, n_numeric: numeric } = preview;
  const counted = `${name}: ${rows} rows, ${columns} columns, ${numeric} of them numbers.`;
  const turned = preview.seems_transposed ? " It looks as if samples were in columns: tick the box below if so." : "";
  return [counted + turned, ...preview.remarks].join(" ");
}

function drawRows(place, header, rows) {
  const head = element("thead");
  head.append(element("tr"));
  for (const name of header) head.firstChild.append(element("th", name || "(no name)", { scope: "col", title: name }));
  const body = element("tbody");
  for (const cells of rows) {
    const row = element("tr");
    for (const cell of cells) row.append(element("td", cell, { title: cell }));
    body.append(row);
  }
  fill(place, head, body);
}

// ------------------------------------------------------------------ a new selection

async function takeTable(file, transpose = false) {
  const found = await look(file.id, transpose);
  chosen.table = found;
  remember();
  const { preview } = found;
  $("transpose").checked = transpose;
  say("table-status", describe(found));
  $("table-look").hidden = false;
  $("table-rows").parentElement.hidden = !preview;
  if (preview) drawRows("table-rows", preview.header, preview.rows);
  drawRoles();
}

async function takeSheet(file) {
  chosen.sheet = await look(file.id, false);
  remember();
  say("sheet-status", describe(chosen.sheet));
  $("sheet-part").open = true;
  $("sheet-look").hidden = false;
  drawRows("sheet-rows", chosen.sheet.preview.header, chosen.sheet.preview.rows);
  drawRoles();
}

function remember() {
  const ids = { table: chosen.table?.id, sheet: chosen.sheet?.id, transpose: $("transpose").checked };
  sessionStorage.setItem("files", JSON.stringify(ids));
}

function drawRoles() {
  if (!chosen.table) return; // a sheet alone
  const head = element("thead");
  head.append(element("tr"));
  for (const name of ["Column", "Values", "What it says"]) head.firstChild.append(element("th", name, { scope: "col" }));
  const body = element("tbody");
  const guessed = chosen.sheet?.preview?.guess ?? {};
  for (const file of [chosen.sheet, chosen.table]) {
    if (!file?.preview) continue;
    for (const column of file.preview.columns) {
      if (column.name === "") continue; // names of samples, which nobody has to say
      body.append(roleRow(column, file === chosen.sheet, guessOf(file, column, guessed)));
    }
  }
  fill("roles", head, body);
  const names = chosen.table.preview?.names ?? [];
  fill("names", ...names.map((name) => element("option", null, { value: name })));
  $("roles-part").hidden = false;
}

function guessOf(file, column, guessedInSheet) {
  const isSheet = file === chosen.sheet;
  const role = Object.entries(file.preview.guess).find(([, name]) => name === column.name)?.[0];
  if (role && (isSheet || role === "id" || !guessedInSheet[role])) return role;
  return !isSheet && column.is_text ? "drop" : "";
}

function roleRow(column, isSheet, role) {
  const row = element("tr");
  row.append(element("th", column.name, { scope: "row", title: column.name }));
  const values = column.values.map(([value, count]) => `${value} (${count})`).join(", ");
  const more = column.n_values > column.values.length ? `, … ${column.n_values} in all` : "";
  const gaps = column.n_missing ? `; ${column.n_missing} missing` : "";
  row.append(element("td", values + more + gaps, { title: values }));
  const select = element("select", null, { "aria-label": `What ${column.name} says` });
  select.dataset.column = column.name;
  select.dataset.file = isSheet ? "sheet" : "table";
  for (const [key, words] of Object.entries(isSheet ? SHEET_ROLES : ROLES)) select.append(element("option", words, { value: key }));
  select.value = role;
  select.addEventListener("change", () => takeRoleFromOthers(select));
  const cell = element("td");
  cell.append(select);
  row.append(cell);
  return row;
}

// Of labels, groups and batches there is one; of ids one in each file.
function takeRoleFromOthers(select) {
  if (!["target", "id", "groups", "blocks"].includes(select.value)) return;
  for (const other of document.querySelectorAll("#roles select")) {
    const sameFile = select.value !== "id" || other.dataset.file === select.dataset.file;
    if (other !== select && other.value === select.value && sameFile) other.value = "";
  }
}

function addOther() {
  const name = $("other-name").value.trim();
  if (!name) return;
  const row = roleRow({ name, values: [], n_values: 0, n_missing: 0 }, false, "target");
  $("roles").tBodies[0].append(row);
  const select = row.querySelector("select");
  takeRoleFromOthers(select);
  select.focus();
  $("other-name").value = "";
}

function asked(command) {
  const options = { transpose: $("transpose").checked, drop: [] };
  const lists = ["drop", "covariates"];
  for (const { value, dataset } of document.querySelectorAll("#roles select")) {
    if (!value) continue;
    const role = dataset.file === "sheet" && value === "id" ? "sample_id" : value;
    if (lists.includes(role)) options[role] = [...(options[role] ?? []), dataset.column];
    else options[role] = dataset.column;
  }
  if (!chosen.table.preview && !options.target) options.target = "y";
  if (!options.target) throw new Error("Say which column holds the label: what is to be told apart.");
  options.impute = $("impute").value;
  options.duplicates = $("duplicates").value;
  if (chosen.sheet) options.allow_unmatched = $("allow-unmatched").checked;
  if (command === "select") {
    options.method = $("method").value;
    options.max_features = $("max-features").value.trim();
    options.audit = $("audit").checked;
  } else {
    options.drop.push(...(options.covariates ?? []), ...(options.blocks ? [options.blocks] : []));
    options.drop = options.drop.filter((name) => !sheetHas(name));
    delete options.covariates;
    delete options.blocks;
  }
  return { command, table: chosen.table.id, sheet: chosen.sheet?.id ?? null, options };
}

const sheetHas = (name) => chosen.sheet?.preview?.names.includes(name) ?? false;

async function start(request, trouble) {
  say(trouble, "");
  try {
    const job = await sendJson("/api/jobs", typeof request === "function" ? request() : request);
    await refresh();
    location.hash = `job=${job.id}`;
  } catch (error) {
    say(trouble, error.message);
  }
}

// ------------------------------------------------------------------ new samples

async function takeNew(file) {
  chosen.fresh = await look(file.id, $("new-transpose").checked);
  say("new-status", describe(chosen.fresh));
  const columns = chosen.fresh.preview?.columns.filter((each) => each.name) ?? [];
  fill("new-id", element("option", "none", { value: "" }), ...columns.map(({ name }) => element("option", name, { value: name })));
  $("new-id").value = chosen.fresh.preview?.guess.id ?? "";
}

function takeModel(file) {
  chosen.model = file;
  say("model-status", `${file.name} is the model.`);
  drawModels(file.id);
}

function drawModels(wanted = $("model").value) {
  const found = jobs.filter((job) => job.command === "select" && job.state === "done");
  const options = found.map((job) => element("option", job.title, { value: job.id }));
  if (chosen.model) options.push(element("option", chosen.model.name, { value: chosen.model.id }));
  if (!options.length) options.push(element("option", "none yet: choose a file below", { value: "" }));
  fill("model", ...options);
  if (options.some((each) => each.value === wanted)) $("model").value = wanted;
}

function askedPrediction() {
  if (!$("model").value) throw new Error("Choose a model first.");
  if (!chosen.fresh) throw new Error("Choose a table of new samples first.");
  const options = {
    id: $("new-id").value, no_call: $("no-call").value, transpose: $("new-transpose").checked,
    allow_extra: $("allow-extra").checked,
  };
  return { command: "predict", model: $("model").value, table: chosen.fresh.id, options };
}

// ------------------------------------------------------------------ jobs

async function refresh() {
  jobs = await ask("/api/jobs");
  $("no-jobs").hidden = jobs.length > 0;
  const items = jobs.map((job) => {
    const item = element("li");
    item.append(element("a", job.title, { href: `#job=${job.id}` }), element("span", ` ${STATES[job.state]}`, { class: "state" }));
    return item;
  });
  if (signature(items) !== signature([...$("jobs").children])) fill("jobs", ...items.reverse());
  await drawJob();
}

const signature = (items) => items.map((each) => each.textContent + each.firstChild?.href).sort().join("\n");

async function drawJob() {
  const id = /^#job=(\w+)$/.exec(location.hash)?.[1];
  const job = jobs.find((each) => each.id === id);
  if (!id) return;
  if (!job) {
    say("job-title", "There is no such job.");
    $("job-state").textContent = "";
    return;
  }
  drawProgress(job);
  if (shown === `${job.id} ${job.state}`) return;
  shown = `${job.id} ${job.state}`;
  const details = await ask(`/api/jobs/${id}`);
  $("job-title").textContent = job.title;
  document.title = `${job.title}: ${STATES[job.state]} – centroidal`;
  $("job-state").textContent = stateText(details);
  $("job-running").hidden = !["queued", "running"].includes(job.state);
  say("job-error", job.error ?? "");
  $("job-done").hidden = job.state !== "done";
  $("job-notes-part").hidden = !details.notes.length;
  fill("job-notes", ...details.notes.map((text) => element("li", text)));
  if (job.state === "done") drawDone(details);
  else $("job-report").removeAttribute("src");
}

function stateText({ state, seconds }) {
  if (state === "done") return `Done in ${duration(seconds)}.`;
  if (state === "queued") return "Waiting for the job before it.";
  if (state === "running") return "Running.";
  return state === "failed" ? "This did not work:" : "Cancelled; nothing was kept.";
}

function drawProgress({ state, progress, seconds }) {
  if (state !== "running") {
    $("job-bar").removeAttribute("value");
    $("job-progress").textContent = "";
    return;
  }
  const passed = `${duration(seconds)} so far`;
  if (!progress?.n_steps) {
    $("job-bar").removeAttribute("value");
    $("job-progress").textContent = `${progress?.what ?? "Getting ready"}: ${passed}`;
    return;
  }
  $("job-bar").max = progress.n_steps;
  $("job-bar").value = progress.n_done;
  const left = progress.seconds_left === null ? "" : `, about ${duration(progress.seconds_left)} left`;
  $("job-progress").textContent = `${progress.what}: ${progress.n_done} of ${progress.n_steps}, ${passed}${left}`;
}

function duration(seconds) {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 90) return `${whole} s`;
  return whole < 5400 ? `${Math.round(whole / 60)} min` : `${(whole / 3600).toFixed(1)} h`;
}

function answers({ command, result }) {
  if (command === "compare") return [result.comparison.answer];
  if (command === "predict") {
    const counts = Object.entries(result.counts).map(([name, count]) => `${name}: ${count}`);
    return [`${result.n_samples} samples were predicted. ${counts.join(", ")}.`, ...result.remarks];
  }
  const found = result.selection;
  const names = found.features.slice(0, 12).map((each) => each.feature ?? each.name);
  const list = names.join(", ") + (found.features.length > names.length ? ", …" : "");
  const more = ["answer_by_chance", "answer_in_blocks", "answer_by_covariates", "answer_with_more"];
  return [found.answer, ...more.map((name) => found[name]).filter(Boolean), `Selected: ${list}`];
}

function drawDone(details) {
  const { id, files, command, request, predictions } = details;
  fill("job-answer", ...answers(details).map((text) => element("p", text)));
  fill("job-files", ...files.map((name) => {
    const item = element("li");
    item.append(element("a", `Download: ${NAMES[name]}`, { href: `/jobs/${id}/${name}?download=1`, download: name }));
    return item;
  }));
  const next = [];
  if (files.includes("report.html")) next.push(element("a", "Open the report in a tab of its own", { href: `/jobs/${id}/report.html`, target: "_blank", rel: "noopener" }));
  if (command === "select") {
    next.push(button("Predict new samples with this model", () => { drawModels(id); location.hash = "predict"; }));
    next.push(button("Compare classifiers on this table", () => start(comparisonOf(request), "job-error")));
  }
  fill("job-next", ...next);
  $("job-report").hidden = !files.includes("report.html");
  if (files.includes("report.html")) $("job-report").src = `/jobs/${id}/report.html`;
  else $("job-report").removeAttribute("src");
  $("job-rows-part").hidden = !predictions;
  if (predictions) drawRows("job-rows", predictions[0], predictions.slice(1));
}

function comparisonOf({ table, sheet, options }) {
  const { method, max_features, audit, blocks, covariates, ...rest } = options;
  const drop = [...(rest.drop ?? []), ...(covariates ?? []), ...(blocks ? [blocks] : [])];
  return { command: "compare", table, sheet, options: { ...rest, drop: sheet ? rest.drop : drop } };
}

function button(text, act) {
  const made = element("button", text, { type: "button" });
  made.addEventListener("click", act);
  return made;
}

// ------------------------------------------------------------------ views

function route() {
  const view = location.hash.startsWith("#job=") ? "job" : location.hash === "#predict" ? "predict" : "new";
  for (const each of ["new", "predict", "job"]) $(`view-${each}`).hidden = each !== view;
  document.title = "centroidal";
  shown = null;
  if (view === "predict") drawModels();
  if (view === "job") drawJob();
  $("main").focus({ preventScroll: true });
}

async function recall() {
  const { table, sheet, transpose } = JSON.parse(sessionStorage.getItem("files") ?? "{}");
  if (sheet) await takeSheetQuietly(sheet);
  if (table) await takeTable({ id: table }, transpose);
}

async function takeSheetQuietly(id) {
  chosen.sheet = await look(id, false);
  $("sheet-part").open = true;
  $("sheet-look").hidden = false;
  say("sheet-status", describe(chosen.sheet));
  drawRows("sheet-rows", chosen.sheet.preview.header, chosen.sheet.preview.rows);
}

async function poll() {
  try {
    await refresh();
  } finally {
    const busy = jobs.some((job) => ["queued", "running"].includes(job.state));
    setTimeout(poll, busy ? 700 : 3000);
  }
}

const choices = ask("/api/choices");
choices.then(({ methods }) => {
  for (const [key, words] of Object.entries(methods)) $("method").append(element("option", `${key}: ${words}`, { value: key }));
});
whenChosen("table-file", "table-status", takeTable);
whenChosen("sheet-file", "sheet-status", takeSheet);
whenChosen("model-file", "model-status", takeModel);
whenChosen("new-file", "new-status", takeNew);
$("example").addEventListener("click", () => {
  say("table-status", "Getting the example …");
  trying("table-status", async () => takeTable(await send("/api/example", "")));
});
$("transpose").addEventListener("change", () => trying("table-status", () => takeTable(chosen.table, $("transpose").checked)));
$("new-transpose").addEventListener("change", () => chosen.fresh && trying("new-status", () => takeNew(chosen.fresh)));
$("other-add").addEventListener("click", addOther);
$("start").addEventListener("click", () => start(() => asked("select"), "form-trouble"));
$("start-compare").addEventListener("click", () => start(() => asked("compare"), "form-trouble"));
$("start-predict").addEventListener("click", () => start(askedPrediction, "predict-trouble"));
$("cancel").addEventListener("click", () => send(`/api/jobs/${/^#job=(\w+)$/.exec(location.hash)[1]}/cancel`, "").then(refresh));
window.addEventListener("hashchange", route);
route();
recall().catch(() => sessionStorage.removeItem("files"));
poll();
