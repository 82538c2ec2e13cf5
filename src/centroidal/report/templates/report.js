// Charts, the slider, the table of features, the theme. Texts of the user become text nodes, never markup.
(() => {
  "use strict";
  const { charts, selection } = JSON.parse(document.getElementById("report-data").textContent);
  const ROWS_AT_A_TIME = 200;
  const NAMES_SHOWN = 24;
  const byId = (id) => document.getElementById(id);

  // ---------------------------------------------------------------- elements and numbers

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "share") made.style.setProperty("--share", String(value));
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  const label = (text) => element("bdi", { class: "label" }, text);
  const numbers = new Intl.NumberFormat("en-US");
  const features = (n) => `${numbers.format(n)}\u00a0feature${n === 1 ? "" : "s"}`;

  function percent(share, digits = 0) {
    return share === null ? "unknown" : `${(100 * share).toFixed(digits)}\u00a0%`;
  }

  function plusMinus(score, error) {
    if (!selection.isShare && score !== null) {
      const around = error === null ? "" : `\u00a0±\u00a0${error.toFixed(3)}`;
      return score.toFixed(3) + around;
    }
    const digits = error !== null && error > 0 && error < 0.01 ? 1 : 0;
    return error === null || score === null
      ? percent(score)
      : `${(100 * score).toFixed(digits)}\u00a0±\u00a0${percent(error, digits)}`;
  }

  function short(value) {
    if (value === null) return "–";
    const size = Math.abs(value);
    const text =
      value !== 0 && (size < 1e-3 || size >= 1e6)
        ? value.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2")
        : String(Number(value.toPrecision(4)));
    return text.replaceAll("-", "−");
  }

  // ---------------------------------------------------------------- charts

  const tooltip = element("div", { class: "tooltip", hidden: "" });
  document.body.append(tooltip);

  function showTooltip(handler, event, item, value) {
    if (value === null || value === undefined || value === "") {
      tooltip.hidden = true;
      return;
    }
    const lines = Object.entries(value).map(([what, text]) =>
      element("div", {}, element("span", {}, `${what}: `), element("bdi", {}, String(text))),
    );
    tooltip.replaceChildren(...lines);
    tooltip.hidden = false;
    const { width, height } = tooltip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, window.innerWidth - width - 8);
    const isLow = event.clientY + height + 24 > window.innerHeight;
    tooltip.style.left = `${Math.max(8, left)}px`;
    tooltip.style.top = `${isLow ? event.clientY - height - 12 : event.clientY + 16}px`;
  }

  const noNetwork = {
    load: () => Promise.reject(new Error("this page loads nothing")),
    sanitize: () => Promise.reject(new Error("this page links nowhere")),
  };

  const views = {};
  const drawn = Object.entries(charts).map(async ([name, spec]) => {
    const options = {
      actions: false,
      ast: true, // expressions are interpreted, because the policy of the page forbids eval
      renderer: "svg",
      defaultStyle: false,
      tooltip: showTooltip,
      loader: noNetwork,
    };
    const { view } = await window.vegaEmbed(byId(`chart-${name}`), spec, options);
    views[name] = view;
  });
  Promise.all(drawn).then(() => {
    document.documentElement.dataset.drawn = "yes";
  });

  // ---------------------------------------------------------------- theme

  const theme = byId("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : prefersDark.matches;
  }

  function nameTheme() {
    theme.setAttribute("aria-pressed", String(isDark()));
  }

  theme.hidden = false;
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();

  // ---------------------------------------------------------------- paper

  const PAPER_WIDTH = 660;
  let closed = [];
  window.addEventListener("beforeprint", () => {
    for (const view of Object.values(views)) view.width(PAPER_WIDTH).run();
    closed = [...document.querySelectorAll("details:not([open]):not(.chart-data)")];
    for (const each of closed) each.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const each of closed) each.open = false;
    window.dispatchEvent(new Event("resize"));
  });

  if (selection === null) return;

  // ---------------------------------------------------------------- the slider

  const slider = byId("k");
  let size = selection.sizes[selection.position];

  function recallTable(position) {
    const body = element("tbody");
    selection.recalls[position].forEach((recall, code) => {
      body.append(
        element(
          "tr",
          {},
          element("th", { scope: "row" }, label(selection.classes[code])),
          element("td", { class: "number" }, percent(recall)),
          element("td", { class: "wide" }, element("span", { class: "bar", share: recall ?? 0 })),
        ),
      );
    });
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, "Class"),
      element("th", { scope: "col", class: "number" }, "Recall"),
      element("th", { scope: "col", class: "wide" }, element("span", { class: "hidden" }, "as a bar")),
    );
    const caption = element("caption", {}, `Recall with ${features(size)}`);
    return element("table", { class: "recalls" }, caption, element("thead", {}, head), body);
  }

  function matrixTable(position) {
    const counts = selection.confusions[position];
    const body = element("tbody");
    counts.forEach((row, code) => {
      const tested = Math.max(1, row.reduce((sum, n) => sum + n, 0));
      const cells = row.map((n, taken) =>
        element("td", { class: taken === code ? "right" : "wrong", share: n / tested }, numbers.format(n)),
      );
      body.append(
        element("tr", {}, element("th", { scope: "row" }, label(selection.classes[code])), ...cells),
      );
    });
    const over = element(
      "tr",
      {},
      element("td"),
      element("th", { scope: "colgroup", colspan: counts.length }, "taken for"),
    );
    const names = selection.classes.map((name) => element("th", { scope: "col" }, label(name)));
    const head = element("tr", {}, element("th", { scope: "col" }, "true class"), ...names);
    const words = `Confusion matrix with ${features(size)}`;
    const table = element(
      "table",
      { class: "matrix" },
      element("caption", {}, words),
      element("thead", {}, over, head),
      body,
    );
    return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": words }, table);
  }

  function showNames() {
    const known = selection.features.slice(0, Math.min(size, NAMES_SHOWN));
    const items = known.map(([name]) => element("li", { title: name }, element("bdi", {}, name)));
    if (size > known.length) {
      items.push(element("li", { class: "rest" }, `and ${numbers.format(size - known.length)} more`));
    }
    byId("names").replaceChildren(...items);
  }

  let telling = 0;
  function announce(words) {
    window.clearTimeout(telling);
    telling = window.setTimeout(() => {
      byId("announcement").textContent = words;
    }, 350);
  }

  function showSize(position, isFirst = false) {
    size = selection.sizes[position];
    const score = plusMinus(selection.scores[position], selection.errors[position]);
    slider.value = String(position);
    slider.setAttribute("aria-valuetext", features(size));
    byId("k-shown").textContent = features(size);
    byId("score").textContent = score;
    const error = selection.errors[position] === null ? "" : " ± standard error";
    byId("score-words").textContent = `${selection.scoreName}${error} with ${features(size)}`;
    byId("random-words").textContent =
      `As many random features${error && ", ± standard error"}: ${plusMinus(selection.random[position], selection.randomErrors[position])}`;
    byId("recall-here").replaceChildren(recallTable(position));
    if (selection.confusions) byId("matrix-here").replaceChildren(matrixTable(position));
    byId("back").disabled = position === selection.position;
    showNames();
    showTable();
    if (views.curve) views.curve.signal("k", size).runAsync();
    if (!isFirst) announce(`${features(size)}: ${selection.scoreName} ${score}`);
  }

  slider.addEventListener("input", () => showSize(Number(slider.value)));
  byId("back").addEventListener("click", () => {
    showSize(selection.position);
    slider.focus();
  });

  // ---------------------------------------------------------------- the table of features

  const table = byId("feature-table");
  const rows = selection.features.map(([name, gain, frequency, p, luck, ...centers], place) => ({
    rank: place + 1,
    name,
    key: name.toLowerCase(),
    gain,
    frequency,
    p,
    luck,
    centers,
    ...(selection.details[place] ?? { tags: [], standIns: [] }),
  }));
  const unfolded = new Set(); // names of rows that stay open when the table is drawn anew
  const order = { column: "rank", isDown: false };
  let limit = ROWS_AT_A_TIME;

  const byName = new Intl.Collator("en", { numeric: true });
  function valueOf(row, column) {
    return column in row ? row[column] : row.centers[Number(column)];
  }

  function compare(a, b) {
    const [left, right] = [valueOf(a, order.column), valueOf(b, order.column)];
    if (left === null || right === null) return (left === null) - (right === null);
    const found = order.column === "name" ? byName.compare(left, right) : left - right;
    return (order.isDown ? -found : found) || a.rank - b.rank;
  }

  function matching() {
    const asked = byId("search").value.trim().toLowerCase();
    const goesBeyond = asked !== "" || byId("beyond").checked;
    const found = rows.filter((row) => (goesBeyond || row.rank <= size) && row.key.includes(asked));
    return order.column === "rank" && !order.isDown ? found : found.sort(compare);
  }

  function standIns(row) {
    const n = row.standIns.length;
    const items = row.standIns.map(([other, words]) =>
      element("li", {}, element("bdi", {}, other), " ", element("span", { class: "muted" }, words)),
    );
    const summary = element("summary", {}, `${n}\u00a0stand-in${n === 1 ? "" : "s"}`);
    const folded = element("details", { class: "stand-ins" }, summary, element("ul", {}, ...items));
    folded.open = unfolded.has(row.name);
    folded.addEventListener("toggle", () => {
      if (folded.open) unfolded.add(row.name);
      else unfolded.delete(row.name);
    });
    return folded;
  }

  function tableRow(row) {
    const isBeyond = row.rank > size;
    const name = element("th", { scope: "row" }, element("bdi", {}, row.name));
    if (isBeyond) name.append(element("span", { class: "tag" }, "not selected"));
    for (const tag of row.tags) {
      name.append(element("span", { class: "tag" }, element("bdi", {}, tag)));
    }
    if (row.standIns.length) name.append(standIns(row));
    const cells = [element("td", { class: "number" }, numbers.format(row.rank)), name];
    const values = [short(row.gain)];
    if (selection.hasFrequencies) values.push(percent(row.frequency));
    if (selection.hasEvidence) values.push(short(row.p), short(row.luck));
    values.push(...row.centers.map(short));
    cells.push(...values.map((text) => element("td", { class: "number" }, text)));
    return element("tr", isBeyond ? { class: "beyond" } : {}, ...cells);
  }

  function showTable() {
    const found = matching();
    const shown = found.slice(0, limit);
    table.tBodies[0].replaceChildren(...shown.map(tableRow));
    const more = byId("more");
    more.hidden = found.length <= shown.length;
    more.textContent = `Show ${numbers.format(Math.min(ROWS_AT_A_TIME, found.length - shown.length))} more`;
    byId("shown").textContent = wordsFor(found, shown);
  }

  function wordsFor(found, shown) {
    const selected = found.filter((row) => row.rank <= size).length;
    const words =
      byId("search").value.trim() === ""
        ? [`${features(size)} selected.`]
        : [`${features(found.length)} found, ${numbers.format(selected)} of them selected.`];
    if (shown.length < found.length) words.push(`Rows 1 to ${numbers.format(shown.length)} are shown.`);
    if (size > rows.length) words.push(`Of these, the first ${numbers.format(rows.length)} are in this page.`);
    return words.join(" ");
  }

  function sortBy(header) {
    const { column } = header.dataset;
    order.isDown = order.column === column ? !order.isDown : !["rank", "name", "p", "luck"].includes(column);
    order.column = column;
    for (const each of table.querySelectorAll("th[data-column]")) each.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order.isDown ? "descending" : "ascending");
    limit = ROWS_AT_A_TIME;
    showTable();
  }

  for (const header of table.querySelectorAll("th[data-column]")) {
    const button = element("button", { type: "button" }, ...header.childNodes);
    button.addEventListener("click", () => sortBy(header));
    header.append(button);
  }
  byId("search").addEventListener("input", () => {
    limit = ROWS_AT_A_TIME;
    showTable();
  });
  byId("beyond").addEventListener("change", () => {
    limit = ROWS_AT_A_TIME;
    showTable();
  });
  byId("more").addEventListener("click", () => {
    const before = table.tBodies[0].rows.length;
    limit += ROWS_AT_A_TIME;
    showTable();
    const next = table.tBodies[0].rows[before];
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  });

  // ---------------------------------------------------------------- copying

  function asText() {
    const plain = (text) => String(text ?? "").replace(/[\t\r\n]+/g, " ");
    // An apostrophe keeps spreadsheets from running a name as a formula, as in CSV files.
    const harmless = (name) => plain(name).replace(/^(?='*\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/, "'");
    const head = ["rank", "feature", "gain"];
    if (selection.hasFrequencies) head.push("selected_again");
    if (selection.hasEvidence) head.push("p_value", "expected_false");
    const hasStandIns = rows.some((row) => row.standIns.length);
    if (hasStandIns) head.push("stand_ins");
    if (selection.hasCenters) head.push(...selection.classes.map((name) => `center ${plain(name)}`));
    const lines = matching().map((row) => {
      const cells = [row.rank, harmless(row.name), plain(row.gain)];
      if (selection.hasFrequencies) cells.push(plain(row.frequency));
      if (selection.hasEvidence) cells.push(plain(row.p), plain(row.luck));
      if (hasStandIns) cells.push(harmless(row.standIns.map(([other]) => other).join("; ")));
      return [...cells, ...row.centers.map(plain)].join("\t");
    });
    return [head.join("\t"), ...lines].join("\n");
  }

  function copyByHand(text) {
    const area = element("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }

  async function copy() {
    const text = asText();
    let isDone = false;
    try {
      await navigator.clipboard.writeText(text);
      isDone = true;
    } catch {
      isDone = copyByHand(text); // pages from a file may not have a clipboard
      byId("copy").focus();
    }
    const n = matching().length;
    byId("copied").textContent = isDone
      ? `${numbers.format(n)} ${n === 1 ? "row" : "rows"} copied, separated by tabs.`
      : "The browser does not allow copying.";
  }

  byId("copy").addEventListener("click", copy);

  byId("explorer").hidden = false;
  document.querySelector("#explorer .slider").hidden = selection.sizes.length === 1;
  byId("feature-controls").hidden = false;
  showSize(selection.position, true);
  Promise.all(drawn).then(() => {
    views.curve.signal("k", size).runAsync();
    views.curve.addEventListener("click", (event, item) => {
      const position = selection.sizes.indexOf(item?.datum?.k);
      if (position >= 0) showSize(position);
    });
  });
})();
