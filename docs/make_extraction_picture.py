"""Makes docs/images/extraction.png: the page of an extraction of the report's curve with noise. Needs Chromium."""

import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from yawara.calibrate.extract.choice import choose
from yawara.calibrate.extract.curve import observe
from yawara.calibrate.extract.families import candidates
from yawara.calibrate.extract.outcome import Extraction
from yawara.calibrate.extract.report import extraction_page
from yawara.laws import GeneralizedVoigt
from yawara.studies.extraction import pressed_and_released

NOISE = {"force": 3e-3, "displacement": 1e-4}  # [N], [m]
BROWSER, SIZE = "/usr/bin/chromium", "1000,1315"  # [px], down to the second row of plots


def main() -> None:
    random = np.random.default_rng(1)
    clean = pressed_and_released(GeneralizedVoigt(k=(10.0, 20.0), c=(30.0, 300.0)))
    noisy = [
        observe(item.quantity, item.times, item.values + NOISE[item.quantity] * random.standard_normal(len(item.values)))
        for item in clean.observed
    ]
    curve = replace(clean, name="press.csv", observed=tuple(noisy))
    page = extraction_page(Extraction((curve,), choose([curve], candidates("auto"))))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        target = Path(__file__).parent / "images" / "extraction.png"
        subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={SIZE}", f"--screenshot={target}", file.as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
