"""Shared parts of the round trips: labels with every tenth wrong, the program, and the table of results."""

import csv
import datetime
import hashlib
import importlib.metadata
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

PROGRAM = os.environ.get("LOSSCORR_PROGRAM", "losscorr")
COUNT = 60
CLASSES = ["cat", "dog"]
TRUTH = [k % 2 for k in range(COUNT)]
GIVEN = [1 - y if k % 10 == 3 else y for k, y in enumerate(TRUTH)]
WRONG = [k for k in range(COUNT) if GIVEN[k] != TRUTH[k]]


def run(*arguments):
    """Runs the program; the test fails with its message."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def digest(path):
    """Returns the content of a file, or of all files of a folder by name."""
    path = Path(path)
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return {str(p.relative_to(path)): digest(p) for p in sorted(path.rglob("*")) if p.is_file()}


class Trip:
    """A round trip of a format from a tool to the program and back: an audit by the posteriors of a good model."""

    def __init__(self, folder):
        self.folder = folder
        self.rows = []

    def photos(self, folder="images", side=16):
        """Writes COUNT images, 00.png and so on, and returns their paths."""
        from PIL import Image

        (self.folder / folder).mkdir(exist_ok=True)
        paths = [self.folder / folder / f"{k:02d}.png" for k in range(COUNT)]
        for k, path in enumerate(paths):
            Image.new("RGB", (side, side), (200 * TRUTH[k], 4 * k, 90)).save(path)
        return paths

    def audit(self, data, order=range(COUNT), *arguments):
        """Audits data; order is the program's order of the examples."""
        p = np.full((len(order), 2), 0.05, np.float32)
        p[np.arange(len(order)), [TRUTH[k] for k in order]] = 0.95
        np.save(self.folder / "p.npy", p)
        run("audit", data, "--probabilities", self.folder / "p.npy", "--classes", "cat,dog", "--out", self.folder / "audit", "--quiet", *arguments)
        with open(self.folder / "audit" / "issues.csv", newline="", encoding="utf-8") as file:
            return {row["id"]: row for row in csv.DictReader(file)}

    def export(self, name, *arguments):
        """Exports the audit; returns the path and the program's counts."""
        out = self.folder / name
        return out, json.loads(run("export", self.folder / "audit", out, "--json", *arguments))

    def decide(self, *decisions):
        """Writes people's decisions: (example, given label, right label)."""
        with open(self.folder / "audit" / "decisions.jsonl", "w", encoding="utf-8") as file:
            file.write('{"schema":1}\n')
            for name, given, label in decisions:
                line = {"id": name, "given": given, "label": label, "answer": "accept" if given == label else "other"}
                file.write(json.dumps(line) + "\n")

    def passed(self, package, form, labels, same, changed, read_back):
        """Adds a row to the table of round trips, with the columns of run.sh."""
        program, machine = json.loads(run("version", "--json")), json.loads(run("doctor", "--json"))
        revision = program["revision"] + ("-modified" if program["modified"] else "")
        row = [package, importlib.metadata.version(package), form, labels, same, changed, read_back, datetime.date.today().isoformat(),
               program["program"], revision, machine["cpu"]["model"]]
        if path := os.environ.get("ROUND_TRIPS"):
            with open(path, "a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow(row)


@pytest.fixture
def trip(tmp_path):
    return Trip(tmp_path)
