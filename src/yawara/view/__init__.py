"""The page in the browser: what there is to see, the panel, the mouse as a hand, and who may come in."""
