"""How Sphinx makes a site of `docs/` that works from a folder, without a network: `make docs`."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
_project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

project = "Askance"
author = copyright = "the Askance project"  # noqa: A001 - the name that Sphinx reads
release = version = _project["version"]
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples/**"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nitpicky = True
smartquotes = False  # "--flag" stays as it is typed
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "alabaster"  # fonts and scripts of its own: it asks no other machine
html_theme_options = {
    "description": _project["description"],
    "page_width": "1100px",
    "sidebar_includehidden": False,  # a page for each strategy
}
html_copy_source = False
html_show_sphinx = False
