"""HTML: what a page shows, in lines; what it hides, counted; and no more time than it is long."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from ingest.html.hidden import hiding_rules
from ingest.html.text import html_text, read_html
from ingest.item import Item, Reason, Skipped
from ingest.reading.in_process import read


def items_of(*paths: Path) -> list[Item]:
    return [item for item in read(paths, zone=UTC) if isinstance(item, Item)]


def test_a_page_becomes_lines_without_what_is_hidden(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<html><head><title>My &amp; Page</title><style>p{}</style></head><body>"
        "<h1>Rent</h1><p>Due on\n the <b>first</b>.</p>"
        "<ul><li>Ana</li><li>Bo</li></ul>"
        "<table><tr><th>Who</th><th>Pays</th></tr><tr><td>Ana</td><td>900</td></tr></table>"
        "<pre>a\n  b</pre><script>alert(1)</script>"
        "<div style='display: none'>secret <span hidden>orders</span></div>"
        "<a href='https://example.org/x'>more</a> "
        "<a href='https://example.org/y'>https://example.org/y</a>"
        "<p style='font-size:0.9em'>small</p></body></html>"
    )
    (item,) = items_of(path)
    assert item.title == "My & Page"
    assert item.text == (
        "Rent\n\nDue on the first.\n\n- Ana\n- Bo\n\nWho | Pays\nAna | 900\n\na\n  b\n\n"
        "more (https://example.org/x) https://example.org/y\n\nsmall"
    )
    assert item.hidden_removed == len("secretorders")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a<br>b<br><br>c<div>d<br></div><div><br></div>e", "a\nb\n\nc\nd\n\ne"),
        (
            "<ul><li><p>one</p></li><li></li><li>two<ul><li>three</ul></ul>",
            "- one\n\n- two\n\n- three",
        ),
        ("<dl><dt>term<dd>what it means</dl>", "term\nwhat it means"),
        ("un<b>brok</b>en <i>a</i><i>b</i>", "unbroken ab"),
        ("<pre>\n  x\n\n\n\ty &lt;z&gt;</pre>", "x\n\n    y <z>"),
        (
            "<table><tr><td><th>Q1<th>Q2<tr><td>Sum<td><p>5</p><p>6</p><td></table>",
            "Q1 | Q2\nSum | Q1: 5 6",
        ),
        (f"<table><tr><td>{'long ' * 99}<td>menu</table>", f"{'long ' * 98}long\nmenu"),
        ("<table><tr><td><table><tr><td>in<td>side</table><td>out</table>", "in | side\n\nout"),
        (
            "<img alt='Plan of the flat'><img alt='logo'><img alt='a b' width=1>",
            "[Plan of the flat]",
        ),
        ("<a href='mailto:ana@x.invalid'>Ana</a>", "Ana (mailto:ana@x.invalid)"),
        ("<a href='javascript:x()'>no</a><a name=q>where</a>", "nowhere"),
        ("<p title='1 > 0'>x &amp;amp; y</p>", "x &amp; y"),
        ("<p title='a>b<c style='>x<?php y ?>z <!-- <p> > w --!>1 < 2 > 0</p>", "xz 1 < 2 > 0"),
        (
            "<p <b='' <!-- >seen</p><!-- not -->too<br<>side</br<> by side",
            "seen\n\ntooside by side",
        ),
        ("<xmp><b>&amp;</xmp><script>'<p>'</script><iframe><p></iframe>", "<b>&amp;"),
        ("<math><tr>a</tr><input>b</input></math><svg><col>c</col><p>d", "ab\n\nd"),
        ("<img alt='Plan of\nit'> \ue004", "[Plan of it] \ue004"),
        (
            "<a name=q><b>one</b></a> <a href='HTTP://x.invalid/?a=1&amp;b=2'>two</a>",
            ("one two (HTTP://x.invalid/?a=1&b=2)"),
        ),
        ("<p>seen<!-- a comment --><template>t</template><noscript>n</noscript>", "seen"),
        (
            "<meta http-equiv=refresh content='0;url=http://x.invalid'><img src=http://x.invalid>",
            "",
        ),
    ],
)
def test_markup_becomes_lines(markup: str, text: str) -> None:
    assert html_text(markup)[0] == text


@pytest.mark.parametrize(
    "style",
    [
        *("display:none", "DISPLAY : NONE !important", "visibility:hidden", "mso-hide:all"),
        *("opacity:0", "opacity: 0.0;", "font-size:0", "font-size: 0px", "font-size:1px"),
        *("text-indent:-9999px", "position:absolute; left:-9999px", "margin-left:-10000px"),
        *("max-height:0; overflow:hidden", "height:0px;width:0;overflow:hidden"),
        *("clip: rect(0,0,0,0)", "clip:rect(1px, 1px, 1px, 1px)"),
        *("color:#fff; background:#fff", "color:white;background-color:rgb(255, 255, 255)"),
        "color:#c0ffee;background:#C0FFEE",
    ],
)
def test_styles_that_hide_are_believed(style: str) -> None:
    page = read_html(f"<p>seen</p><p style='{style}'>secret</p>")
    assert (page.text, page.hidden, page.flags) == ("seen", 6, ())


@pytest.mark.parametrize(
    "style",
    [
        *("opacity:0.5", "font-size:0.8em", "font-size:10px", "line-height:0;overflow:hidden"),
        *("text-indent:-18pt", "margin-left:-8px", "height:100px;overflow:hidden"),
        *("color:white;background:#00f", "color:#fff;background:url(dark.png)", "color:#999"),
    ],
)
def test_styles_that_do_not_hide_do_not(style: str) -> None:
    page = read_html(f"<div style='background:#eee'><p style='{style}'>seen</p></div>")
    assert (page.text, page.hidden, page.flags) == ("seen", 0, ())


def test_what_is_within_may_be_seen_all_the_same() -> None:
    cell = "<div style='font-size:0'>secret<span style='font-size:12px'>seen</span></div>"
    assert html_text(cell) == ("seen", 6)
    box = "<div style='background:#fff'><p style='color:#fff'>secret<b style='color:red'>seen</b>"
    assert html_text(box) == ("seen", 6)
    dark = "<table bgcolor='#000000'><tr><td><font color='#ffffff'>seen</font></table>"
    assert read_html(dark) == read_html("<p>seen</p>")


def test_white_text_on_an_unknown_ground_stays_and_is_flagged(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<body><p style='color:#ffffff'>White words</p><p>Others</p>")
    (item,) = items_of(path)
    assert (item.text, item.flags) == ("White words\n\nOthers", ("white text",))


def test_style_sheets_hide_what_their_rules_select() -> None:
    sheet = (
        "/* .c{display:none} */ @import url(http://x.invalid/);"
        " .a, p#b , p > .d {display:none} @media print{.e{display:none}} .f{display:none}"
        " .f{display:block} .g{font-size:0} body{visibility:visible}"
    )
    assert hiding_rules(sheet) == (".a", "p#b", ".g")
    marked = "".join(f"<i class={name}>{name}</i>" for name in "acdefg")
    page = read_html(f"<style>{sheet}</style><p id=b>b</p>{marked}")
    assert (page.text, page.hidden) == ("cdef", 3)


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("iso8859-2", "<meta charset=iso-8859-2>"),
        ("koi8-r", "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>"),
        ("shift_jis", "<?xml version='1.0' encoding='shift_jis'?>"),
        ("cp1252", ""),
    ],
)
def test_pages_declare_their_encoding(tmp_path: Path, encoding: str, head: str) -> None:
    words = {"koi8-r": "Договор", "shift_jis": "賃貸契約書です", "iso8859-2": "Zażółć jaźń"}
    text = words.get(encoding, "Über die Brücke")
    path = tmp_path / "page.html"
    path.write_bytes(f"{head}<html><body><p>{text}</p></body></html>".encode(encoding))
    assert items_of(path)[0].text == text


def test_deeply_nested_and_unclosed_pages_end_in_time(tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<div>" * 100_000 + "found" + "</div>" * 100_000)
    (tmp_path / "stray.html").write_text("<div></x>" * 100_000 + "found")
    (tmp_path / "mixed.html").write_text("<i><b><u>" * 50_000 + "found")
    (tmp_path / "open.html").write_text("<html>" + "<script" * 50_000 + "<" * 50_000)
    (tmp_path / "sheet.html").write_text("<style>" + "@{" * 100_000 + "</style>found")
    (tmp_path / "comments.html").write_text("<style>" + "/*" * 100_000 + "</style>found")
    (tmp_path / "white.html").write_text(
        "<div>" * 2000 + "<b style='color:#fff' hidden>x</b>" * 20_000 + "found"
    )
    for name in ("deep", "stray", "mixed", "sheet", "comments", "white"):
        assert [item.text for item in items_of(tmp_path / f"{name}.html")] == ["found"]
    assert list(read([tmp_path / "open.html"], zone=UTC))


def test_a_page_without_words_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<html><body><img src='http://x.invalid/a.png'></body></html>")
    (skipped,) = read([path], zone=UTC)
    assert isinstance(skipped, Skipped)
    assert skipped.reason is Reason.EMPTY
