"""A few rules for the page's look that the browser's library has no words for."""

from yawara.view.table import BACKDROP


def style(*, plain: bool) -> str:
    """HTML. `plain` is chosen where there is no graphics processor, so the note that there is none is left out."""
    rules = [
        f"canvas[data-engine] {{ background: rgb{tuple(map(int, BACKDROP))} }}",
        # Sliders run over places, not values; the value with its unit is in the label
        ".mantine-Slider-root + .mantine-NumberInput-root { display: none }",
    ]
    if plain:
        rules.append('.mantine-Notification-root[style*="orange"] { display: none !important }')
    return f"<style>{' '.join(rules)}</style>"
