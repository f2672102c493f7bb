"""The report opens in a real browser: no console errors, pictures drawn."""

import shutil
import subprocess

import pytest

from waiting import PATIENCE
from yawara.demo import blocks, make

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--log-level=0"),
]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine; CI installs it")
def test_report_opens(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "POINTS", 4)
    monkeypatch.setattr(blocks, "SPACING", 0.1 / 3)
    demonstration = make.make_demo(tmp_path)
    picture = tmp_path / "page.png"
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1200,2400"]
    page = demonstration.report.as_uri()
    shown = subprocess.run([*command, f"--screenshot={picture}", page], capture_output=True, text=True, timeout=PATIENCE)
    assert shown.returncode == 0
    assert "CONSOLE" not in shown.stderr
    assert picture.stat().st_size > 50_000  # an empty page of this size has a tenth of that
    document = subprocess.run([*command, "--dump-dom", page], capture_output=True, text=True, timeout=PATIENCE).stdout
    assert document.count("<svg") >= 7  # three pictures, four plots
    for block in blocks.LAWS:
        assert block in document
