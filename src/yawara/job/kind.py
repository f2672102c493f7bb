"""What tells one kind of job from another: names of files, and words."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class JobKind:
    """Runs, fits, sweeps and replays are one each."""

    name: str  # as in 'holds a run'
    command: str  # of yawara, which begins one and goes on with it
    start: str  # its arguments, without the directory
    request: str  # file that is written first: all that the job needs to know
    end: str  # file that is written last, a table in JSON: its presence says that the job is complete
    decides: str  # in words, what must not change while the job is interrupted
    progress: tuple[str, ...]  # files and folders from which it goes on
    scraps: tuple[str, ...] = ()  # those of them that nobody needs once it is complete
    leaves: tuple[str, ...] = ()  # files of others that it would write over
    begins_again: str = ""  # what else to remove if the last file is damaged
    refused_late: bool = (
        False  # whether what it is asked may turn out to be impossible once it has begun: then nothing of it stays
    )
    old_stamp: tuple[str, str] | None = None  # file and key of the digest, in directories of earlier versions

    def to_start(self, directory: Path) -> str:
        return f"yawara {self.command} {self.start} --out {directory}"

    def to_go_on(self, directory: Path) -> str:
        return f"yawara {self.command} --resume {directory}"
