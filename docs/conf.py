"""How the documentation is built: `make docs`, which takes warnings as errors and runs the examples."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Yawara"
version = release = version_of("yawara")
language = "en-GB"

extensions = ["myst_parser", "sphinx.ext.doctest", "mathml", "scene_tables"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

doctest_global_setup = """
import numpy as np
import yawara as yw
np.set_printoptions(precision=6, suppress=True)
"""

html_theme = "furo"
html_title = f"Yawara {version}"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_show_copyright = html_show_sphinx = False
html_copy_source = False
html_math_renderer = "mathml"  # no script, no network
