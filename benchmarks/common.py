"""Shared parts of the benchmarks: the program, audits in separate processes, scores of rankings, tables of results.

Each benchmark is a script to run from the root of the repository after `make`:

    python3 -m venv .venv && .venv/bin/pip install numpy scikit-learn cleanlab crowd-kit pillow
    .venv/bin/python benchmarks/NAME.py --help

The program is build/losscorr, or LOSSCORR_PROGRAM if it is set. Rows are written to --out one by one, so a stopped
benchmark keeps the rows so far. Each row ends with the date, the machine and the revision.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("LOSSCORR_PROGRAM", str(ROOT / "build" / "losscorr"))

import losscorr  # noqa: E402

SEED = 14  # draws wrong labels, examples and checks

# Runs a program and prints its peak memory in KiB. A direct child would inherit the peak of this process.
_MEASURE = """import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)"""


def generator(*stream: int) -> np.random.Generator:
    """Returns a random generator for a stream, such as one draw."""
    return np.random.default_rng((SEED, *stream))


def parser(doc: str, parts: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Returns a parser with the flags of all benchmarks, and --only if there are parts."""
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", type=Path, default=ROOT / "data", help="folder of mnist/ and imdb/aclImdb_v1.tar.gz")
    p.add_argument("--out", type=Path, help="CSV file of the rows")
    p.add_argument("--work", type=Path, help="folder for data and audits (a temporary one)")
    if parts:
        p.add_argument("--only", nargs="+", choices=parts, default=list(parts), help="parts to measure")
    return p


def workplace(path: Path | None) -> Path:
    """Returns the absolute path of a folder for data and audits; a temporary one is deleted with the process."""
    if path is None:
        workplace.kept = tempfile.TemporaryDirectory(prefix="losscorr-benchmark-")
        path = Path(workplace.kept.name)
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


def program(*arguments: Any, **environment: str) -> str:
    """Runs the program with additional environment variables, and returns its output."""
    command = [losscorr.program(), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    if done.returncode:
        raise losscorr.Error(f"losscorr {' '.join(map(str, arguments))}: {done.stderr[-2000:]}", done.returncode)
    return done.stdout


@dataclass
class Audited:
    """An audit with its seconds from start to exit and its peak memory."""

    found: losscorr.Audit
    seconds: float
    peak_mib: int

    @property
    def summary(self) -> dict[str, Any]:
        return self.found.summary

    @property
    def folder(self) -> Path:
        return self.found.folder


def audit(folder: Path, *arguments: Any, again: bool = False) -> Audited:
    """Runs losscorr audit into a new folder or, with again, into one with an audit."""
    if not again:
        shutil.rmtree(folder, ignore_errors=True)
    command = [losscorr.program(), "audit", "--out", folder, "--quiet", *arguments]
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-S", "-c", _MEASURE, *map(str, command)], capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise losscorr.Error(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}", done.returncode)
    peak = int(done.stdout.split()[-1]) >> (20 if sys.platform == "darwin" else 10)
    return Audited(losscorr.Audit(folder), seconds, peak)


def check(a: Audited, count: int, truth: dict[str, str], *arguments: Any) -> Audited:
    """Draws random labels of an audit, answers them by the truth, and repeats the audit with the answers."""
    sheet = a.folder.parent / "checks.csv"
    sheet.unlink(missing_ok=True)
    program("review", a.folder, "--random", count, "--write", sheet)
    rows = [(name, given, truth[name]) for name, given in read_table(sheet, "id", "given")]
    write_table(sheet, ["id", "given", "true"], rows)
    return audit(a.folder, *arguments, "--answers-from", sheet, again=True)


def read_table(path: Path, *columns: str) -> list[list[str]]:
    """Returns columns of a CSV file."""
    with open(path, newline="", encoding="utf-8") as file:
        return [[row[name] for name in columns] for row in csv.DictReader(file)]


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(header)
        table.writerows(rows)
    return path


class Results:
    """The rows of a benchmark, each a dictionary by column. Fractions have four digits, and None is an empty cell."""

    def __init__(self, path: Path | None):
        self.path, self.rows = path, []
        version, machine = json.loads(program("version", "--json")), json.loads(program("doctor", "--json"))
        self.where = {
            "date": datetime.date.today().isoformat(), "version": version["program"],
            "revision": version["revision"], "modified": version["modified"], "cpu": machine["cpu"]["model"],
            "cores": machine["cpu"]["cores"],
            "libtorch": (machine.get("libtorch") or {}).get("version", "").split("+")[0],
        }

    def add(self, row: dict[str, Any], **more: Any) -> None:
        """Prints a row and writes all rows. Columns such as the version of cleanlab come last."""
        row = {name: _cell(value) for name, value in {**row, "seed": SEED, **self.where, **more}.items()}
        self.rows.append(row)
        measured = list(row)[: list(row).index("seed")]
        print(", ".join(f"{name} {row[name]}" for name in measured if row[name]), flush=True)
        if self.path:
            write_table(self.path, list(self.rows[0]), [list(r.values()) for r in self.rows])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    return f"{value:.4f}" if isinstance(value, (float, np.floating)) else str(value)


def average_precision(order: np.ndarray, wrong: np.ndarray) -> float:
    """Returns the mean over wrong labels of (rank among wrong labels / rank in order)."""
    hits = np.asarray(wrong, bool)[order]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].sum() / max(1, hits.sum()))


def shuffled_order(score: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Returns the positions of scores, lowest first, ties in random order."""
    order = rng.permutation(len(score))
    return order[np.argsort(np.asarray(score)[order], kind="stable")]


def f1(flagged: np.ndarray, wrong: np.ndarray) -> float:
    return float(2 * (flagged & wrong).sum() / max(1, flagged.sum() + wrong.sum()))


def cleanlab_scores(posteriors: np.ndarray, given: np.ndarray, wrong: np.ndarray) -> dict[str, Any]:
    """Returns the average precision of cleanlab's default score and of its best score in hindsight, and F1 of
    find_label_issues, on posteriors [N C] of given labels [N]."""
    import cleanlab
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    p, scores = posteriors.astype("float64"), {}
    p /= p.sum(1, keepdims=True)
    for method in ("self_confidence", "normalized_margin", "confidence_weighted_entropy"):
        for adjusted in (False, True)[: 1 if method == "confidence_weighted_entropy" else 2]:
            score = get_label_quality_scores(given, p, method=method, adjust_pred_probs=adjusted)
            scores[method + ", adjusted" * adjusted] = average_precision(np.argsort(score, kind="stable"), wrong)
    best = max(sorted(scores), key=scores.get)
    return {
        "cleanlab_score": best, "cleanlab_average_precision": scores[best],
        "cleanlab_self_confidence": scores["self_confidence"],
        "cleanlab_f1": f1(find_label_issues(given, p, n_jobs=1), wrong), "cleanlab": cleanlab.__version__,
    }


def compared(a: Audited, given: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Compares an audit of given labels [N] with the truth, and an audit of its first networks' posteriors with
    cleanlab on them."""
    wrong, m, place = given != truth, a.summary["measured"], {name: k for k, name in enumerate(a.found.classes)}
    posteriors, numbers = np.load(a.folder / "noisy_probabilities.npy"), np.array([place[y] for y in given])
    first = losscorr.audit(numbers, pred_probs=posteriors, classes=range(len(place)), progress=False)
    row = {"examples": len(given), "wrong": wrong.sum(), "low": a.found.wrong.low, "high": a.found.wrong.high}
    row |= {name: float(m[name]) for name in ("average_precision", "f1", "corrected")}
    row["first_stage_average_precision"] = average_precision(np.asarray(first.issues["id"]), wrong)
    row["first_stage_f1"] = f1(first.p_wrong > 0.5, wrong)
    return row | cleanlab_scores(posteriors, numbers, wrong)


def simulated_checks(
    work: Path, folder: Path, wrong: np.ndarray, checks: Sequence[int], repeat: int, stream: tuple[int, int] = (SEED, 2)
) -> dict[str, Any]:
    """Draws random checks of an audit, repeat times for each number of checks, answers them by the truth, and returns
    the program's estimates."""
    np.save(work / "wrong.npy", wrong.astype("float32"))
    flags = [*(f"--checks={n}" for n in checks), "--repeat", repeat, "--seed", stream[0], "--stream", stream[1]]
    return json.loads(program("simulate", "checks", *flags, folder, work / "wrong.npy"))
