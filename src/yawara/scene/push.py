"""A rigid rectangular tool that pushes a lattice with a given force."""

from enum import StrEnum
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.core.control import Interpolation
from yawara.scene.actions import check_table
from yawara.scene.fields import ForceVector, Instant, PlanePosition
from yawara.scene.rigid_push import Diagonal

Until = Annotated[float, Quantity("s", gt=0, remedy="leave it out for the end of the first rise of the force")]


class Face(StrEnum):
    """Faces of a lattice, as selections call them."""

    BOTTOM = "bottom"
    TOP = "top"
    LEFT = "left"
    RIGHT = "right"
    FRONT = "front"
    BACK = "back"


class Push(Part):
    """A rigid rectangular tool on a face of a lattice, its force shared among the points as in Nogami et al. 2003."""

    name: str = Field("", description="how the columns of the history call it; made up if left out")
    body: str = Field(description="name of the body, a lattice")
    face: Face = Field(Face.TOP, description="face that is pushed")
    min: PlanePosition = Field(description="lowest corner of the tool, along the two axes of the face in their order")
    max: PlanePosition = Field(description="its highest corner")
    times: tuple[Instant, ...] = Field(description="times of the table, increasing")
    force: tuple[ForceVector, ...] = Field(description="whole force of the tool at each time")
    interpolation: Interpolation = Field(Interpolation.STEP, description="'step' holds each value until the next time")
    diagonal: Diagonal = Field(Diagonal.AS_PRINTED, description="rule for the corner of a tool of broken numbers of cells")
    renormalise: bool = Field(True, description="scale the shares up to the whole force; else small parts are lost")
    internal: bool = Field(False, description="add the internal forces that squeeze the body out between tool and opposite face")
    internal_until: Until | None = Field(
        None, description="from then on there are none; the end of the first rise of the force if left out"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_table(self.times, self.force, "force")
        if any(low > high for low, high in zip(self.min, self.max, strict=True)):
            raise fail(f"min must be <= max along both axes (got {list(self.min)} and {list(self.max)} m); swap them")
        if self.internal_until is not None:
            if not self.internal:
                raise fail(
                    f"internal_until would be ignored (got {self.internal_until:g} s) without internal = true; add it, or leave it out"
                )
            if self.internal_until <= self.times[0]:
                raise fail(
                    f"internal_until must be > the first time {self.times[0]:g} s (got {self.internal_until:g} s); end them later"
                )
        elif self.internal and self._rise_end() <= self.times[0]:
            raise fail(
                f"the force does not rise from its first time {self.times[0]:g} s on, so that internal = true has no end; "
                "add internal_until [s]"
            )
        return self

    @property
    def internal_end(self) -> float:
        """[s]: 'initially' in Nogami et al. 2003, who add the extra forces when they push, never while they hold or unload."""
        return self._rise_end() if self.internal_until is None else self.internal_until

    def _rise_end(self) -> float:
        """[s], of the table's first entry that is followed by none or by one that is not larger."""
        size = np.linalg.norm(self.force, axis=1)
        return self.times[int(np.argmin(np.append(np.diff(size) > 0.0, False)))]
