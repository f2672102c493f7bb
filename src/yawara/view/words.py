"""What the panel says: the truth about speed, what is wrong, what came of a click."""

import html

from yawara.live.messages import View

SLOW = 0.97  # of the wanted speed: below this it is said in colour


def speed_lines(view: View | None, now: float, sent: float, device: str) -> str:
    """HTML: how fast time runs, how the solver does, how many views go out, how the device does."""
    if view is None:
        return _block(["waiting for the solver"])
    pace, age = view.pace, 1e3 * max(now - view.wall, 0.0)
    colour = "#b3261e" if pace.realtime < SLOW * pace.wanted else "#2f6b3a"
    lines = [
        f'<b style="color:{colour}">{pace.realtime:.2f} × real time</b> (wanted {pace.wanted:g}), {pace.late:.2f} s late in all',
        f"{pace.ticks_per_second:.0f} ticks/s × {pace.steps_per_tick:.1f} steps, 99 % in {1e3 * pace.tick_p99:.2f} ms; "
        f"{sent:.0f} views/s, {age:.0f} ms old",
    ]
    if device:
        lines.append(html.escape(device))
    return _block(lines)


def _block(lines: list[str]) -> str:
    look = (
        "margin:0 0.8em 0.6em;padding-bottom:0.5em;border-bottom:1px solid #e9e4dd;font-size:0.76em;line-height:1.5;color:#5b5550"
    )
    return f'<div style="{look}">{"<br>".join(lines)}</div>'


def notice(text: str) -> str:
    """HTML: what is wrong, so that it is seen; empty for nothing."""
    if not text:
        return ""
    return (
        '<div role="alert" style="margin:0 0.8em 0.7em;padding:0.5em 0.7em;border-left:4px solid #b3261e;border-radius:3px;'
        f'background:#fbe9e7;color:#7a1c16;font-size:0.85em">{html.escape(text)}</div>'
    )


def remark(text: str) -> str:
    """HTML: what came of a click; empty for nothing."""
    if not text:
        return ""
    return (
        '<div role="status" style="margin:0 0.8em 0.7em;padding:0.5em 0.7em;border-left:4px solid #b06234;border-radius:3px;'
        f'background:#f6efe6;color:#5a3a22;font-size:0.85em">{html.escape(text)}</div>'
    )


def hint(text: str) -> str:
    """HTML: a quiet line."""
    return f'<div style="margin:0 0.8em 0.6em;font-size:0.8em;line-height:1.4;color:#6b655f">{html.escape(text)}</div>'
