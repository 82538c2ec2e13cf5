"""The app as people have it: in a real browser, from a table to the report."""

import pytest

playwright = pytest.importorskip("playwright.sync_api", exc_type=ImportError)
expect = playwright.expect
pytestmark = [pytest.mark.xdist_group("app"), pytest.mark.once]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 800}
LONG = 120_000


@pytest.fixture
def visit(browser, app):
    """Open tabs of one reader, and afterwards see that nothing went wrong in them."""
    contexts, troubles = [], []

    def open_tab(context=None, **options):
        if context is None:
            context = browser.new_context(viewport=WIDE, **options)
            contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(LONG)
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(app.address)
        return page

    open_tab.troubles = troubles
    yield open_tab
    for context in contexts:
        context.close()
    assert troubles == []


def choose(page, place, name, content):
    page.set_input_files(place, {"name": name, "mimeType": "text/csv", "buffer": content})


def role_of(page, column):
    return page.input_value(f"#roles select[data-column='{column}']")


def start(page, expression):
    choose(page, "#table-file", "expression.csv", expression)
    page.wait_for_selector("#roles select")
    page.click("#start")
    page.wait_for_selector("#job-done:not([hidden])")


def assert_accessible(page):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_whole_way_from_a_table_to_predictions(visit, expression):
    page = visit()
    assert_accessible(page)
    choose(page, "#table-file", "expression.csv", expression)
    page.wait_for_selector("#roles select")
    assert "60 rows, 33 columns" in page.inner_text("#table-status")
    assert page.locator("#table-rows tbody tr").count() == 8
    roles = [role_of(page, name) for name in ("sample", "patient", "tumour")]
    assert roles == ["id", "groups", "target"]
    assert_accessible(page)
    page.fill("#max-features", "10")
    page.click("#start")
    page.wait_for_selector("#job-done:not([hidden])")
    assert "tell the 3 classes apart" in page.inner_text("#job-answer")
    assert page.locator("#job-files a").count() == 3
    frame = page.frame_locator("#job-report")
    assert "Feature selection" in frame.locator("h1").inner_text()
    with page.expect_download() as download:
        page.click("#job-files a >> nth=1")
    assert download.value.suggested_filename == "features.csv"
    assert_accessible(page)

    page.click("text=Predict new samples with this model")
    choose(page, "#new-file", "new.csv", expression)
    expect(page.locator("#new-id")).to_have_value("sample", timeout=LONG)
    assert_accessible(page)
    page.click("#start-predict")
    page.wait_for_selector("#job-rows tbody tr")
    assert "60 samples were predicted" in page.inner_text("#job-answer")
    assert page.locator("#job-rows tbody tr").count() == 20


def test_wrong_file_and_missing_label_are_told(visit, expression):
    page = visit()
    choose(page, "#table-file", "T.csv", b"PK\x03\x04 a workbook")
    page.wait_for_selector("#table-status.trouble")
    assert "workbook" in page.inner_text("#table-status")
    choose(page, "#table-file", "expression.csv", expression)
    page.wait_for_selector("#roles select")
    page.select_option("#roles select[data-column=tumour]", "drop")
    page.click("#start")
    assert "which column holds the label" in page.inner_text("#form-trouble")
    page.select_option("#roles select[data-column=patient]", "target")
    page.click("#start")
    page.wait_for_selector("#job-error:not([hidden])")
    assert page.is_hidden("#job-done")
    visit.troubles[:] = [each for each in visit.troubles if "422" not in each]  # as asked for


def test_progress_cancel_reload_and_a_second_tab(visit, expression):
    page = visit()
    choose(page, "#table-file", "expression.csv", expression)
    page.wait_for_selector("#roles select")
    page.select_option("#method", "l21")
    page.check("#audit")
    page.click("#start")
    expect(page.locator("#job-progress")).to_contain_text(" of ", timeout=LONG)
    page.reload()
    expect(page.locator("#job-progress")).to_contain_text(" of ", timeout=LONG)
    other = visit(page.context)
    other.click("#jobs a >> nth=0")
    other.click("#cancel")
    for each in (page, other):
        expect(each.locator("#job-state")).to_contain_text("Cancelled", timeout=LONG)
        assert each.is_hidden("#job-done")
    page.click("text=New selection")
    page.wait_for_selector("#roles select")  # the table is still there


def test_everything_can_be_reached_by_keyboard(visit):
    page = visit()
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        if reached[-1] == "example":
            break
    assert "table-file" in reached
    page.keyboard.press("Enter")
    page.wait_for_selector("#roles select")
    assert "120 rows" in page.inner_text("#table-status")


def test_narrow_page_does_not_scroll_sideways(visit, expression):
    page = visit()
    page.set_viewport_size(NARROW)
    start(page, expression)
    for view in ("#job-title", "#new-title"):
        page.wait_for_selector(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        page.click("text=New selection")


def test_names_in_a_table_are_text(visit):
    page = visit()
    hostile = "<img src=x onerror=alert(1)>"
    rows = "".join(f"{i},{'AB'[i % 2]}\n" for i in range(12))
    choose(page, "#table-file", "T.csv", f"{hostile},label\n{rows}".encode())
    page.wait_for_selector("#roles select")
    assert hostile in page.inner_text("#table-rows")
    assert page.locator("#table-rows img").count() == 0
