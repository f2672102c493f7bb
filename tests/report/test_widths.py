"""Every kind of report in a real browser, on a desk, a tablet and a telephone: nothing is cut off, nothing hidden."""

import pytest

from browser import chromium
from layout import complaints
from reports import WARNINGS, demo_report, extract_report, fit_report, run_report, sweep_report
from waiting import PATIENCE

LAW = "body.driven.law"
MADE = {
    "demo": lambda folder, patch: demo_report(folder, patch),
    "run": lambda folder, _: run_report(folder),
    "fit": lambda folder, _: fit_report(folder),
    "extract": lambda folder, _: extract_report(folder),
    "sweep over one": lambda folder, _: sweep_report(folder, f"{LAW}.k1=100:300:5"),
    "sweep over two": lambda folder, _: sweep_report(folder, f"{LAW}.k1=100:300:5", f"{LAW}.c2=1,2,3"),
    "sweep over three": lambda folder, _: sweep_report(folder, *(f"{LAW}.{name}=1:9:3" for name in ("k1", "c1", "c2"))),
}
WIDTHS = (1280, 800, 400)  # [px]


@pytest.fixture(scope="module")
def browser():
    with chromium(hide_scrollbars=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Makes each report once."""
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        yield lambda kind: made.get(kind) or made.setdefault(kind, MADE[kind](tmp_path_factory.mktemp("report"), patch))


@pytest.fixture
def opened(browser, report):
    """A tab with a report, and what it wrote to its console."""
    tabs = []

    def show(kind_or_path, width, height=900):
        tab = browser.new_page(viewport={"width": width, "height": height})
        tab.set_default_timeout(1e3 * PATIENCE)
        tabs.append(tab)
        tab.on("pageerror", lambda problem: pytest.fail(f"the page fails: {problem}"))
        tab.goto((report(kind_or_path) if kind_or_path in MADE else kind_or_path).as_uri())
        return tab

    yield show
    for tab in tabs:
        tab.close()


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_off_or_hidden(opened, kind, width):
    assert complaints(opened(kind, width)) == []


def test_what_is_hidden_is_noticed(opened, tmp_path):
    """The check itself: it must see what it is there for."""
    cell = "style='white-space:nowrap'>" + "a sentence that does not wrap " * 9
    faults = {
        "wide.html": (f"<p {cell}</p>", "the page is"),
        "cut.html": (f"<div style='overflow:hidden'><p {cell}</p></div>", "cuts"),
        "scrolled.html": (f"<div style='overflow:auto;scrollbar-width:none'><p {cell}</p></div>", "nothing shows that"),
        "over.html": ("<p>one</p><p style='margin-top:-2.6em'>two</p>", "lie on one another"),
        "tiny.html": ("<p style='font-size:4px'>fine print</p>", "too small"),
        "clear.html": ("<p style='opacity:0'>nothing</p>", "is not to be seen"),
        "drawn.html": ("<svg viewBox='0 0 99 20' width='99'><text x='60' y='15'>too long</text></svg>", "leaves its drawing"),
    }
    for name, (body, word) in faults.items():
        (tmp_path / name).write_text(f"<!DOCTYPE html><body>{body}</body>", encoding="utf-8")
        assert any(word in one for one in complaints(opened(tmp_path / name, 400))), name
    (tmp_path / "good.html").write_text("<!DOCTYPE html><p>one</p><p>two</p>", encoding="utf-8")
    assert complaints(opened(tmp_path / "good.html", 400)) == []


@pytest.mark.parametrize("kind", ["demo", "run"])
@pytest.mark.parametrize("width", WIDTHS)
def test_how_it_was_computed_is_seen_beside_its_names(opened, kind, width):
    """The values were pushed off the page by a sentence that did not wrap."""
    tab = opened(kind, width)
    rows = tab.locator("section", has_text="How it was computed").locator("tbody tr")
    for row in rows.all():
        what, value = (row.locator("td").nth(n).bounding_box() for n in range(2))
        assert what["x"] + what["width"] <= value["x"] + 1
        assert value["x"] + value["width"] <= width


@pytest.mark.parametrize("kind", ["demo", "run"])
@pytest.mark.parametrize("width", WIDTHS)
def test_warnings_are_seen_before_anything_else(opened, kind, width):
    tab = opened(kind, width, height=800)
    assert tab.get_by_role("note").get_by_role("listitem").all_inner_texts() == WARNINGS
    box = tab.get_by_role("note").bounding_box()
    assert 0 < box["y"] < box["y"] + box["height"] < 800  # without scrolling
    assert box["y"] < tab.locator("h2").first.bounding_box()["y"]
