"""Test whether few enough labels are wrong."""

from __future__ import annotations

import csv
import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ._audit import Audit
from ._program import program, run

_BATCH = 10  # checks between verdicts


class Example(NamedTuple):
    """A label to check: the example's name, its text or image file ("" for numbers), and its label."""

    id: str
    text: str
    given: str


class Acceptance:
    """The result of checking a set of labels.

    verdict      "accepted", "rejected" or "undecided"
    statement    the verdict in a sentence
    checked      number of checked labels; wrong: how many of these are wrong
    low, high    share of wrong labels among all; each limit is wrong with a probability of at most the risk
    parts        the same by class and by source: dictionaries with by, name, labels, checked, wrong, low and high
    certificate  path of certificate.json, for `losscorr check --certificate`
    page         path of the page to hand on
    """

    def __init__(self, folder: str | Path, _keep: Any = None):
        self.folder = Path(folder)
        self.certificate, self.page = self.folder / "certificate.json", self.folder / "acceptance.html"
        found = json.loads(self.certificate.read_text(encoding="utf-8"))
        self.verdict: str = found["verdict"]
        self.statement: str = found["statement"]
        rate = found["rate"]
        self.checked, self.wrong = int(rate["checked"]), int(rate["wrong"])
        self.low, self.high = float(rate["low"]), float(rate["high"])
        self.parts: list[dict[str, Any]] = found["parts"]
        self._keep = _keep

    def __repr__(self) -> str:
        return f"{self.statement}\nPage: {self.page}"


def accept(
    data: Audit | str | Path,
    limit: float,
    *,
    reject: float | None = None,
    risk: float = 0.05,
    ask: Callable[[Example], str] | None = None,
    checks: int | None = None,
    source: str | None = None,
    out: str | Path | None = None,
    arguments: Sequence[str] = (),
) -> Acceptance:
    """Checks random labels until it is clear whether fewer than a share of all are wrong.

    data       an audit or its folder, whose probabilities save checks; or the path of data without an audit
    limit      share of wrong labels, such as .03: a set with this share or more is accepted with a probability of at
               most risk, whatever the mistakes are like, however often one looks
    reject     share above which the labels are rejected; None: limit
    ask        returns the right class of an Example, or "ambiguous" (several fit; the label counts as right), "none"
               (no class fits; it counts as wrong) or "skip"; None: people answer on a page in the browser, until Ctrl-C
    checks     stop undecided after this many checks
    source     column of the data that names where each label comes from; parts has the share for each
    out        folder for data without an audit; None: a temporary one, deleted with the result
    arguments  more arguments of `losscorr review`, such as ["--text", "text"]

    Raises Error with the program's message, for example if nobody has answered.
    """
    keep = None
    folder = Path(data.folder if isinstance(data, Audit) else data)
    flags = ["--accept", repr(limit), "--risk", repr(risk), *(["--reject", repr(reject)] if reject is not None else [])]
    flags += [*(["--source", source] if source else []), *arguments]
    target = str(folder)
    if not (folder / "source.json").exists():
        if out is None:
            keep = tempfile.TemporaryDirectory(prefix="losscorr-")
            out = Path(keep.name) / "labels"
        folder = Path(out)
        flags += ["--out", str(folder)]
    if ask is None:
        process = subprocess.Popen([program(), "review", target, *flags, *(["--checks", str(checks)] if checks else [])])
        try:
            process.wait()
        except KeyboardInterrupt:
            process.wait()
        return Acceptance(folder, keep)
    with tempfile.TemporaryDirectory(prefix="losscorr-") as work:
        sheet, done = Path(work) / "checks.csv", 0
        while True:
            wanted = done + _BATCH if checks is None else min(done + _BATCH, checks)
            sheet.unlink(missing_ok=True)
            run("review", target, *flags, "--checks", str(wanted), "--write", str(sheet), progress=False)
            rows = _fill(sheet, ask)
            run("review", target, *flags, "--answers-from", str(sheet), progress=False)
            found = Acceptance(folder, keep)
            if found.verdict != "undecided" or wanted == checks or rows == done:
                return found
            done = rows


def _fill(sheet: Path, ask: Callable[[Example], str]) -> int:
    """Asks about the unanswered rows of a sheet, and returns the number of all rows."""
    with open(sheet, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["true"] = row["true"] or ask(Example(row["id"], row["text"], row["given"]))
    with open(sheet, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return len(rows)
