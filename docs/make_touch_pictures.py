"""The pictures of docs/touch.md, from a real page in a headless browser: python docs/make_touch_pictures.py"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser import Window, chromium, wait_for  # noqa: E402
from yawara.live.messages import Choose, Move  # noqa: E402
from yawara.live.presets import preset_scene  # noqa: E402
from yawara.live.session import Session  # noqa: E402
from yawara.view.serve import serve  # noqa: E402

SIZE = {"width": 1280, "height": 800}


def main() -> None:
    pictures = ROOT / "docs" / "images"
    with (
        TemporaryDirectory() as folder,
        Session(preset_scene("dough"), Path(folder)) as session,
        serve(session, port=0, plain=True) as page,
        chromium() as browser,
    ):
        window = Window(browser, page, SIZE)

        def shoot(name: str) -> None:
            time.sleep(4.0)  # drawn in software
            window.tab.screenshot(path=str(pictures / f"{name}.png"))

        shoot("touch_before")
        session.send(Choose("ball"))
        time.sleep(1.0)
        session.send(Move((0.0, 0.0, 0.042)))
        wait_for(lambda: session.latest().force[2] > 0.3, "the ball presses")
        time.sleep(1.5)
        shoot("touch_during")
        session.send(Move((0.0, 0.0, 0.11)))
        time.sleep(2.0)
        window.choose("Colours show", "residual strain")
        shoot("touch_after")
        window.close()


if __name__ == "__main__":
    main()
