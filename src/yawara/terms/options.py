"""Tables `[term.NAME]` of a scene: force terms that no body asks for."""

from typing import ClassVar

from yawara.core.options import Options


class TermOptions(Options):
    """A force term that is asked for by its own table."""

    what: ClassVar[str] = "force terms"
    group: ClassVar[str] = "yawara.terms"
