"""What a display can do, so that another one can take the browser's place."""

from typing import Protocol

from yawara.live.messages import Shapes, View


class Viewer(Protocol):
    """Draws what it is given; knows nothing of how it came about."""

    @property
    def address(self) -> str:
        """Where to look, for the user."""

    def set_shapes(self, shapes: Shapes) -> None:
        """New bodies and tools; the old ones go."""

    def show(self, view: View) -> None:
        """Draw this moment."""

    def refresh(self, rate: float) -> None:
        """Tell what else there is to tell, also when no new view came; `rate` views were sent within the last second."""

    def close(self) -> None:
        """Stop; can be called twice."""
