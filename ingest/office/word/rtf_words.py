"""The control words of rich text that matter to its words, and the codecs of its fonts."""

from __future__ import annotations

import re

CODECS = {
    77: "mac-roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    255: "cp437",
}
"""Codecs by the number of a font's character set; other fonts use the document's."""
SKIPPED = re.compile(
    "colortbl|stylesheet|info|pict|themedata|colorschememapping|datastore|listtable|rsidtbl|fontemb"
    "|listoverridetable|latentstyles|generator|xmlnstbl|filetbl|revtbl|objdata|nonshppict|pntxta"
    "|pntxtb|pnseclvl|bkmkstart|bkmkend|sp|atnid|atnauthor|atndate|atnref|atrfstart|atrfend|tc|xe"
    "|private|fchars|lchars|template|passwordhash|mmathPr|do"
)
SIGNS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "—",
    "endash": "–",  # noqa: RUF001
    "bullet": "•",
    "lquote": "‘",  # noqa: RUF001
    "rquote": "’",  # noqa: RUF001
    "ldblquote": "“",
    "rdblquote": "”",
    "nestcell": " | ",
    "nestrow": "\n",
    **dict.fromkeys(("emspace", "enspace", "qmspace"), " "),
}
ENDS = frozenset({"par", "sect", "page"})
ASIDE = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "margin"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "margin"),
    "footnote": "note",
    "annotation": "comment",
    "fldinst": "code",
    "shptxt": "box",
}
"""Content that is written apart from its paragraph."""
