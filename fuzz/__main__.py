"""`python -m fuzz [KIND ...]`: fuzz, tell what was found, and end with 1 if something was."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from fuzz.driver import fuzz, run_case
from fuzz.kinds import KINDS, Kind


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all if left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, help="of each kind; as many as a whole run has, if left out")
    parser.add_argument("--seconds", type=float, default=3600.0, help="of each kind, at most")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--case", type=int, help="repeat this case alone, of one kind")
    parser.add_argument("--keep", type=Path, help="an empty folder in which the files of that case stay")
    options = parser.parse_args()
    kinds = options.kinds or list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        parser.error(f"there is no kind {unknown[0]}; choose of {', '.join(KINDS)}")
    if options.case is not None:
        _repeat(KINDS[kinds[0]], options.seed, options.case, options.keep or Path(tempfile.mkdtemp(prefix="yawara-fuzz-")))
        return
    faults = 0
    for kind in (KINDS[name] for name in kinds):
        tally = fuzz(kind, seed=options.seed, cases=options.cases or kind.cases, seconds=options.seconds, jobs=options.jobs)
        for fault in tally.faults:
            print(fault)
        print(tally, flush=True)
        faults += len(tally.faults)
    sys.exit(1 if faults else 0)


def _repeat(kind: Kind, seed: int, case: int, place: Path) -> None:
    shared = place / "shared"
    shared.mkdir(parents=True)
    kind.prepare(shared)
    verdict = run_case(kind, seed, case, place / "case", shared)
    print(verdict.said)
    print(f"{kind.name}, seed {seed}, case {case}: {verdict.fault or verdict.outcome}. Files: {place / 'case'}")
    sys.exit(1 if verdict.fault else 0)


if __name__ == "__main__":
    main()
