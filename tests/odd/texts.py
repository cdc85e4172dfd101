"""Odd texts: encodings, tables, JSON, pages, books, notebooks, and what is none of these."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

from tests.odd.archives import zipped
from tests.odd.office import XML

GERMAN = "Die Wohnung in Zürich kostet 900 €.\nSie hat eine schöne Küche.\n"
RUSSIAN = "Договор аренды квартиры в Лиссабоне.\nПлата вносится до пятого числа.\n" * 3  # noqa: RUF001
JAPANESE = "賃貸契約書\nこの部屋の家賃は九万円です。毎月五日までに支払います。\n" * 3


def text_utf8_marked() -> bytes:
    return GERMAN.encode("utf-8-sig")


def text_utf16_marked() -> bytes:
    return GERMAN.encode("utf-16")


def text_utf16_unmarked() -> bytes:
    return GERMAN.encode("utf-16-le")


def text_utf16_big_unmarked() -> bytes:
    return GERMAN.encode("utf-16-be")


def text_utf32_marked() -> bytes:
    return GERMAN.encode("utf-32")


def text_cp1252() -> bytes:
    return GERMAN.encode("cp1252")


def text_koi8_r() -> bytes:
    return RUSSIAN.encode("koi8-r")


def text_shift_jis() -> bytes:
    return JAPANESE.encode("shift-jis")


def text_one_bad_byte() -> bytes:
    """UTF-8 throughout, but for one byte that no encoding explains."""
    return GERMAN.encode() * 50 + b"torn \xff here\n" + GERMAN.encode() * 50


def text_nul_inside() -> bytes:
    return b"Before the zero.\n\0After the zero.\n" + b"More words follow.\n" * 20


def text_terminal_escapes() -> bytes:
    return b"Red \x1b[31malert\x1b[0m, \x1b]0;new title\x07title, \xc2\x9b2Jcleared, bell\x07.\n"


def text_bidi() -> bytes:
    return "Pay \u202e009\u202c euros to \u2066Ana\u2069.\n".encode()


def text_tags() -> bytes:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore the rest")
    return f"Visible{hidden} words.\n".encode()


def text_zero_width() -> bytes:
    return "Pass\u200bword\ufeff is\u2060 here.\n".encode()


def text_empty() -> bytes:
    return b""


def text_blank() -> bytes:
    return b" \n\t\r\n"


def text_mark_only() -> bytes:
    return b"\xef\xbb\xbf"


def text_line_of_50_mb() -> bytes:
    return b"Beginning of the line. " + b"word " * 10_000_000 + b"last words"


def text_old_mac_lines() -> bytes:
    return b"First line.\rSecond line.\r"


def text_from_at_start() -> bytes:
    return b"From the desk of Ana Ruiz\n\nThe rent is due.\n"


def text_like_mail() -> bytes:
    """Notes that begin with words and colons, as header fields do."""
    return b"Rooms: three\nRent: 900\nDeposit: 1800\n\nAsk about the kitchen.\n"


# Records


def json_100000_deep() -> bytes:
    return b"[" * 100_000 + b"]" * 100_000


def json_members() -> bytes:
    return json.dumps({"flat": "Rua da Prata", "rent": 900}, indent=1).encode()


def json_cut_off() -> bytes:
    return b'{"flat": "Rua da Prata", "rent'


def jsonl_one_broken_line() -> bytes:
    return (
        b'{"title": "a", "text": "Alpha."}\n{"title": "b", "te\n{"title": "c", "text": "Gamma."}\n'
    )


def csv_newline_in_quotes() -> bytes:
    return b'Flat,Note\n"Rua da Prata","two rooms,\none kitchen"\nAlfama,small\n'


def csv_after_empty_lines() -> bytes:
    return b"\n" * 40 + b"Flat;Rent\nAlfama;900\n"


def csv_300000_rows() -> bytes:
    return b"".join(b"row %d\n" % n for n in range(1, 300_001))


def csv_utf16_tabs() -> bytes:
    """What Excel saves as "Unicode text"."""
    return "Flat\tRent\nMüllerstraße\t900\n".encode("utf-16")


def csv_open_quote() -> bytes:
    return b'Flat,Note\nAlfama,"never closed\n' + b"x,y\n" * 1000


def csv_field_of_5_mb() -> bytes:
    return b'"' + b"A" * 5_000_000 + b'",omega\n'


# Pages


def html_hidden() -> bytes:
    return (
        b'<html><body><p>Visible words.</p><p style="display: none">NONE</p><!-- COMMENT -->'
        b'<p style="VISIBILITY:hidden">INVISIBLE</p><span style="font-size:0">ZERO</span>'
        b"<div hidden>ATTRIBUTE</div><template>TEMPLATE</template></body></html>"
    )


def html_white_on_white() -> bytes:
    return (
        b'<body style="background:#fff"><p>Visible words.</p>'
        b'<span style="color:#ffffff">WHITE WORDS</span></body>'
    )


def html_scripts() -> bytes:
    return (
        b"<html><head><style>p{color:STYLE}</style><script>SCRIPT()</script></head><body>Words."
        b"<img src=http://x.invalid/p.png onerror=alert(1)><iframe src=http://x.invalid></iframe>"
        b'<meta http-equiv=refresh content="0;url=http://x.invalid"></body></html>'
    )


def html_table() -> bytes:
    return (
        b"<table><tr><th>Flat<th>Rent<tr><td>Rua da Prata<td>900<tr><td>Alfama<td>750</table>After."
    )


def html_200000_divs() -> bytes:
    return b"<html><body>" + b"<div>" * 200_000 + b"deep words" + b"</div>" * 200_000


def html_open_brackets() -> bytes:
    return b"<html><body>Words before. " + b"<" * 5_000_000


def html_declared_cp1252() -> bytes:
    head = '<html><head><meta charset="windows-1252"><title>Küche</title></head>'
    return f"{head}<body>Schöne Küche für 900 €</body></html>".encode("cp1252")


def html_utf16() -> bytes:
    return "<html><body>Schöne Küche</body></html>".encode("utf-16")


def html_entities() -> bytes:
    return b"<html><body>Caf&eacute; &amp; bar &#8364;5 &lt;tag&gt;</body></html>"


def xhtml_with_declaration() -> bytes:
    kind = (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/xhtml1.dtd">'
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Strict words.</p></body></html>'
    return f'<?xml version="1.0"?>{kind}{page}'.encode()


# Books, notebooks, papers


def _epub(*chapters: tuple[str, str], **more: str) -> bytes:
    """Return a book whose spine has the chapters in reverse order of their files."""
    items = "".join(
        f'<item id="c{n}" href="text/{name}" media-type="application/xhtml+xml"/>'
        for n, (name, _) in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        f'{XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc='
        '"http://purl.org/dc/elements/1.1/"><dc:title>The House</dc:title></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        f'{XML}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
        '<rootfiles><rootfile full-path="OPS/book.opf" '
        'media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{}</p></body></html>'
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OPS/book.opf": package,
            **{f"OPS/text/{name}": page.format(words) for name, words in chapters},
            **{name.replace("__", "/") + ".xml": text for name, text in more.items()},
        }
    )


def epub_order() -> bytes:
    return _epub(("z.xhtml", "Chapter one."), ("a.xhtml", "Chapter two."))


def epub_missing_chapter() -> bytes:
    return _epub(("z.xhtml", "Chapter one."), ("a.xhtml", "Chapter two.")).replace(
        b"OPS/text/a.xhtml", b"OPS/text/b.xhtml"
    )


def epub_of_drawn_pages() -> bytes:
    drawn = (
        '</p><svg xmlns="http://www.w3.org/2000/svg"><defs/><style>.a {fill:none}</style>'
        "<defs><text>UNUSED WORDS</text></defs>"
        '<text x="1"><tspan x="0" y="0">The re</tspan><tspan x="9" y="0">nt is</tspan>'
        '<tspan x="0" y="12">900 euros.</tspan></text><text>Second line.</text>'
        '<text style="display:none">HIDDEN WORDS</text><path d="M 1 1"/></svg><p>'
    )
    return _epub(("z.xhtml", drawn))


def epub_locked() -> bytes:
    sealed = (
        f'{XML}<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod '
        'Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference '
        'URI="OPS/text/z.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    return _epub(("z.xhtml", "\u0412\u0431\u0413"), **{"META-INF__encryption": sealed})


def ipynb_cells() -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Rents\n", "Of three flats."]},
        {
            "cell_type": "code",
            "metadata": {},
            "source": "sum(rents)",
            "outputs": [
                {
                    "output_type": "execute_result",
                    "data": {"text/plain": ["2400 euros"], "image/png": "iVBORw0KGgoPICTURE"},
                },
                {"output_type": "stream", "name": "stdout", "text": "\x1b[32mprinted words\x1b[0m"},
            ],
        },
    ]
    return json.dumps({"nbformat": 4, "metadata": {"kernel": "META"}, "cells": cells}).encode()


def ipynb_broken() -> bytes:
    return ipynb_cells()[:-40]


def latex_comments() -> bytes:
    return (
        b"\\documentclass{article}\n% COMMENTED OUT\n\\begin{document}\n\\section{Rent}\n"
        b"It rose by 5\\% a year. % ASIDE\n\\end{document}\n"
    )


def markdown_front_matter() -> bytes:
    head = b"---\ntitle: The flat\ntags: [home]\n---\n\n# Rooms\n\n"
    return head + b"| Room | Size |\n|---|---|\n| Kitchen | 12 |\n"


# What is not read, or not what its name says


def plain_words() -> bytes:
    return b"Plain words, whatever the name says.\n"


def png() -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100)


def jpeg() -> bytes:
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(100)


def program() -> bytes:
    return b"\x7fELF\2\1\1" + bytes(200)


def database() -> bytes:
    """A database of a program that no reader knows."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute("CREATE TABLE items (id INTEGER, words TEXT)")
        made.commit()
        return made.serialize()


def random_bytes() -> bytes:
    state, out = 1, bytearray()
    for _ in range(4096):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(state >> 16 & 0xFF)
    return bytes(out)


def zeros_only() -> bytes:
    return bytes(10_000)


def postscript() -> bytes:
    return b"%!PS-Adobe-3.0\n/Helvetica findfont 12 scalefont setfont (PSWORDS) show\n"
