"""Effects of random checks: audits, answers checks with the true labels, and audits again.

    python3 benchmarks/review_loop.py --photos cifar10-2000 --backbone FILE --out results/audit/loop.csv

Needs numpy; MNIST and IMDB in --data. Missing data is left out, as are photos without --photos (a folder of images for
each class) and --backbone (a pretrained network, as in losscorr audit).
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import Results, audit, check, parser, program, read_table, workplace, write_table
from data_sets import (
    CIFAR10_FLIPS, DIGITS, MNIST_FLIPS, SENTIMENTS, asymmetric, mnist, noisify, one_sided, photos, reviews,
    symmetric, write_array, write_texts,
)

CHECKS = (25, 100)  # checks before each audit


@dataclass
class Reviewed:
    """Data to audit and review."""

    data: str
    noise: str
    arguments: list[Any]  # of losscorr audit
    truth: np.ndarray  # in the order of the data
    t: np.ndarray  # of the label noise


def data_sets(flags: Namespace, work: Path) -> Iterator[Reviewed]:
    yield demo(work / "demo")
    x, truth = mnist(flags.data)
    for noise, t in (("symmetric .2", symmetric(DIGITS, 0.2)), ("asymmetric .6", asymmetric(DIGITS, 0.6, MNIST_FLIPS))):
        yield Reviewed("MNIST", noise, write_array(work, "mnist", x, noisify(truth, t, DIGITS), truth), truth, t)
    if (flags.data / "imdb" / "aclImdb_v1.tar.gz").exists():
        texts, t = reviews(flags.data, "train"), one_sided(0.3, 0)
        given = noisify(texts.truth, t, SENTIMENTS)
        yield Reviewed("IMDB", "30 % of neg", write_texts(work / "texts.csv", texts, given), texts.truth, t)
    if flags.photos and flags.backbone:
        names, truth = photos(flags.photos)
        classes = sorted(set(truth))
        t = asymmetric(classes, 0.4, CIFAR10_FLIPS)
        rows = zip(names, noisify(truth, t, classes), truth)
        table = write_table(work / "photos.csv", ["file_name", "label", "truth"], rows)
        arguments = [flags.photos.resolve(), "--labels", table, "--truth", "truth"]
        arguments += ["--backbone", flags.backbone.resolve()]
        yield Reviewed(f"{len(names)} photos, features of {flags.backbone.name}", "asymmetric .4", arguments, truth, t)


def demo(folder: Path) -> Reviewed:
    program("demo", folder, "--quiet")
    labels = folder / "labels.csv"
    given, truth = np.array(read_table(labels, "label", "truth")).T
    t = np.array([[(given[truth == i] == j).mean() for j in DIGITS] for i in DIGITS])
    arguments = [folder / "images", "--labels", labels, "--truth", "truth", "epochs=12", "batch_size=32"]
    return Reviewed("losscorr demo", "each digit to another, .2", arguments, truth, t)


def answer(d: Reviewed, work: Path, results: Results) -> None:
    a = audit(work / "audit", *d.arguments)
    names = [name for (name,) in read_table(a.folder / "labels_corrected.csv", "id")]  # in the order of the data
    for count in (0, *CHECKS):
        if count:
            a = check(a, count, dict(zip(names, d.truth)), *d.arguments)
        m = a.summary["measured"]
        results.add({
            "data": d.data, "noise": d.noise, "checks": count, "examples": len(d.truth), "wrong": m["wrong"],
            **a.found.wrong._asdict(), "average_precision": m["average_precision"], "f1": m["f1"],
            "row_error": np.abs(a.found.T - d.t).sum(1).mean(), "seconds": f"{a.seconds:.1f}",
        })


def main() -> None:
    p = parser(__doc__)
    p.add_argument("--photos", type=Path, help="folder of folders of images")
    p.add_argument("--backbone", type=Path, help="pretrained network, as in losscorr audit --backbone")
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    for d in data_sets(flags, work):
        answer(d, work, results)


if __name__ == "__main__":
    main()
