"""One case: what a command line did with files from a stranger, and whether that was well behaved."""

import contextlib
import hashlib
import io
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 4.0  # [s] of computing after which a run is interrupted, as by Ctrl-C; scenes that are valid may take hours
INTERRUPTED = 130
GOOD = (0, 1, 2, 3)  # exit codes: done, missed, refused, failed
REFUSED = 2


@dataclass(frozen=True)
class Verdict:
    """How a case ended; `fault` is empty if all is well."""

    outcome: str  # "done", "refused", "failed", "interrupted"
    fault: str = ""
    said: str = ""


def judged(arguments: Sequence[str], folder: Path) -> Verdict:
    """Call the command line here; what it must not change on refusal is all that is in the folder."""
    before, out, err = _content(folder), io.StringIO(), io.StringIO()
    code, trace = INTERRUPTED, ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _interrupted_after(PATIENCE) as was_interrupted:
        code, trace = _called(arguments)
    said = err.getvalue() + trace
    if trace or "Traceback" in said:
        return Verdict("", "traceback", said)
    if was_interrupted:
        return Verdict("interrupted", "", said)
    if code not in GOOD:
        return Verdict("", f"exit code {code}", said)
    if code == REFUSED:
        if not err.getvalue().lstrip().startswith(("yawara: ", "Usage: ")) and "\nyawara: " not in err.getvalue():
            return Verdict("", "refused without a word", said)
        if _content(folder) != before:
            return Verdict("", "something was written on refusal", said)
    return Verdict({0: "done", REFUSED: "refused"}.get(code, "failed"), "", said)


def _called(arguments: Sequence[str]) -> tuple[int, str]:
    """Exit code and traceback, if there is one."""
    import yawara.cli

    sys.argv = ["yawara", *arguments]
    try:
        yawara.cli.main()
    except SystemExit as end:
        return (end.code if isinstance(end.code, int) else 0 if end.code is None else 1), ""
    except KeyboardInterrupt:
        return INTERRUPTED, ""
    except BaseException:
        return 1, traceback.format_exc()
    return 0, ""


def _content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): hashlib.sha1(path.read_bytes()).digest() if path.is_file() else b""
        for path in folder.rglob("*")
    }


@contextlib.contextmanager
def _interrupted_after(seconds: float) -> Iterator[list[bool]]:
    """KeyboardInterrupt where the program is; the list is not empty then. Where there are no such timers, the driver's limit holds."""
    rung: list[bool] = []
    if not hasattr(signal, "SIGPROF"):
        yield rung
        return

    def ring(*_: object) -> None:
        rung.append(True)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield rung
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
