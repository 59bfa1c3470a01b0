"""How `make docs` builds the site: Markdown by MyST, the reference from docstrings."""

from rangecast import __version__

project = "Rangecast"
author = "the Rangecast developers"
release = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository, such as scenarios
nitpicky = False
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": False}
autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
html_theme = "furo"
html_title = f"Rangecast {release}"
