"""How well an audit finds labels that were made wrong, beside cleanlab on the posteriors of the audit's first networks.

    python3 benchmarks/made_noise.py --mistakes DIR --out results/audit/benchmark.csv
    python3 benchmarks/made_noise.py --only reviews --out results/audit/reviews.csv
    python3 benchmarks/made_noise.py --only photos --photos DIR --views efficientnet-lite2 \\
        --out results/audit/encoder.csv
    python3 benchmarks/made_noise.py --only photos --photos DIR --backbone FILE --out results/audit/photos.csv

Needs numpy, cleanlab; MNIST and IMDB in --data. --mistakes is the folder of the repository cleanlab/label-errors with
labels that people have judged; --photos has a folder of images for each class, such as CIFAR-10's test images.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import numpy as np
from common import Results, audit, average_precision, cleanlab_scores, f1, first_stage, parser, workplace
from data_sets import (
    CIFAR10_FLIPS, DIGITS, MNIST_FLIPS, SENTIMENTS, Texts, asymmetric, mistakes, mnist, noisify, one_sided, photos,
    reviews, symmetric, write_array, write_table, write_texts,
)

FEW = 3000  # reviews of the small audits


class Comparison:
    """Rows that compare rankings."""

    def __init__(self, flags: Namespace):
        self.flags, self.work, self.results = flags, workplace(flags.work), Results(flags.out)

    def audit(
        self, names: dict, arguments: list[str], given: np.ndarray, truth: np.ndarray, target: float | None = None
    ) -> None:
        """Audits data whose true labels are known, and adds a row."""
        a = audit(self.work / "audit", *arguments)
        m, classes = a.summary["measured"], a.found.classes
        row = {
            **names, "examples": m["known"], "wrong": m["wrong"], "seconds": f"{a.seconds:.1f}", "peak_mib": a.peak_mib,
            "average_precision": m["average_precision"], "target": target, "f1": m["f1"],
            "expected_over_true": (a.found.expected_wrong or 0) / m["wrong"], "corrected": m["corrected"],
        }
        numbers = np.array([classes.index(y) for y in given])
        self.add(row, np.load(a.folder / "noisy_probabilities.npy"), numbers, np.arange(len(given)), given != truth)

    def add(self, row: dict, posteriors: np.ndarray, given: np.ndarray, judged: np.ndarray, wrong: np.ndarray) -> None:
        """Judges the posteriors that cleanlab has by T, has cleanlab judge them, and adds the row."""
        first = first_stage(posteriors, given, judged, wrong)
        other = cleanlab_scores(posteriors, given, judged, wrong)
        mean, deviation = first.mean(0), first.std(0, ddof=1)
        columns = [
            "data", "noise", "examples", "wrong", "seconds", "peak_mib", "cleanlab_score", "cleanlab",
            "average_precision", "deviation", "target", "f1", "expected_over_true", "corrected",
            "first_stage_average_precision", "first_stage_f1", "cleanlab_average_precision",
            "cleanlab_self_confidence", "cleanlab_f1",
        ]
        if "average_precision" not in row:  # given posteriors have one stage
            row |= {"average_precision": mean[0], "deviation": deviation[0], "f1": mean[1]}
        row |= {
            "first_stage_average_precision": mean[0], "first_stage_f1": mean[1], "cleanlab_score": other.get("score"),
            "cleanlab": other.get("version"), "cleanlab_average_precision": other.get("best"),
            "cleanlab_self_confidence": other.get("self_confidence"), "cleanlab_f1": other.get("f1"),
        }
        self.results.add({name: row.get(name) for name in columns})

    def mnist(self) -> None:
        x, truth = mnist(self.flags.data)
        for kind, level, target in (
            ("symmetric", 0.2, 0.993), ("symmetric", 0.5, 0.996), ("asymmetric", 0.2, 0.992),
            ("asymmetric", 0.4, 0.985),
        ):
            t = symmetric(DIGITS, level) if kind == "symmetric" else asymmetric(DIGITS, level, MNIST_FLIPS)
            given = noisify(truth, t, DIGITS)
            names = {"data": "MNIST", "noise": f"{kind} {level}"}
            self.audit(names, write_array(self.work, "mnist", x, given, truth), given, truth, target)

    def imdb(self) -> None:
        all_reviews = reviews(self.flags.data, "train")
        for noise, neg, pos, target in (
            ("symmetric 0.2", 0.2, 0.2, 0.81), ("30 % of neg", 0.3, 0, 0.83),
            ("10 % of neg, 30 % of pos", 0.1, 0.3, 0.815),
        ):
            self.audit_reviews({"data": "IMDB", "noise": noise}, all_reviews, neg, pos, target=target)
        self.few_reviews(all_reviews, [])

    def reviews(self) -> None:
        self.few_reviews(reviews(self.flags.data, "train"), self.flags.views or ["tfidf", "words", "minilm", "auto"])

    def few_reviews(self, texts: Texts, views: list[str]) -> None:
        """Audits a part of the reviews by each view or, where none is named, as an audit does by itself."""
        few = texts.part(np.arange(FEW) * len(texts.ids) // FEW)
        for view in views or [None]:
            names = {"data": f"IMDB, {FEW} reviews" + (f", {view}" if view else ""), "noise": "30 % of neg"}
            self.audit_reviews(names, few, 0.3, 0, *(["--view", view] if view else []))

    def audit_reviews(
        self, names: dict, texts: Texts, neg: float, pos: float, *arguments: str, target: float | None = None
    ) -> None:
        given = noisify(texts.truth, one_sided(neg, pos), SENTIMENTS)
        table = write_texts(self.work / "texts.csv", texts, given)
        self.audit(names, [*table, *arguments], given, texts.truth, target)

    def photos(self) -> None:
        """Audits photos by a network of their own, the default encoder and, where there is a backbone, its features."""
        folder = self.flags.photos.resolve()
        names, truth = photos(folder)
        classes = sorted(set(truth))
        known = {"own": "cnn", "efficientnet-lite2": "features of efficientnet-lite2"}
        looks = [(known.get(v, v), ["--view", v]) for v in self.flags.views or ["own", "efficientnet-lite2"]]
        if self.flags.backbone:
            looks.append((f"features of {self.flags.backbone.name}", ["--backbone", self.flags.backbone.resolve()]))
        noises = {"symmetric 0.2": symmetric(classes, 0.2), "asymmetric 0.4": asymmetric(classes, 0.4, CIFAR10_FLIPS)}
        for noise, t in noises.items():
            given = noisify(truth, t, classes)
            table = write_table(self.work / "photos.csv", ["file_name", "label", "truth"], zip(names, given, truth))
            for look, arguments in looks:
                row = {"data": f"{len(names)} photos, {look}", "noise": noise}
                self.audit(row, [folder, "--labels", table, "--truth", "truth", *arguments], given, truth)

    def mistakes(self) -> None:
        """Judges the rankings of real mistakes: from given posteriors, and from our own networks on IMDB's test set."""
        for data in ("imdb", "cifar10"):
            m = mistakes(self.flags.mistakes, data)
            row = {"data": f"{data} test set, given posteriors", "noise": "real mistakes"}
            row |= {"examples": len(m.judged), "wrong": m.wrong.sum(), "seconds": "0.0", "peak_mib": 0}
            self.add(row, m.posteriors, m.given, m.judged, m.wrong)
        m, texts = mistakes(self.flags.mistakes, "imdb"), reviews(self.flags.data, "test")
        arguments = write_texts(self.work / "texts.csv", texts, texts.truth)
        a = audit(self.work / "audit", *arguments[:-2])  # nobody knows the truth
        place = {name: k for k, name in enumerate(texts.ids)}
        judged = np.array([place[m.ids[k]] for k in m.judged])
        wrong = dict(zip(judged, m.wrong))
        rows = [place[name] for name in a.found.issues["id"]]
        ranked = [(wrong[row], p > 0.5) for row, p in zip(rows, a.found.issues["p_wrong"]) if row in wrong]
        bad, flagged = np.array(ranked).T
        row = {"data": "imdb test set, own networks", "noise": "real mistakes"}
        row |= {"examples": len(judged), "wrong": bad.sum()}
        row |= {"seconds": f"{a.seconds:.1f}", "peak_mib": 0, "f1": f1(flagged, bad)}
        row |= {"average_precision": average_precision(np.arange(len(bad)), bad)}
        given = np.array([SENTIMENTS.index(y) for y in texts.truth])
        self.add(row, np.load(a.folder / "noisy_probabilities.npy"), given, judged, m.wrong)


def main() -> None:
    p = parser(__doc__, ["mnist", "imdb", "mistakes", "reviews", "photos"])
    p.set_defaults(only=["mnist", "imdb", "mistakes"])
    p.add_argument("--mistakes", type=Path, help="folder of files of the repository cleanlab/label-errors")
    p.add_argument("--photos", type=Path, help="folder of folders of images")
    p.add_argument("--backbone", type=Path, help="pretrained network for the photos, as in losscorr audit --backbone")
    p.add_argument("--views", nargs="+", help="as in losscorr audit --view (default: those of the kind of data)")
    flags = p.parse_args()
    comparison = Comparison(flags)
    for part in flags.only:
        if part in ("mistakes", "photos") and getattr(flags, part) is None:
            print(f"{part} is left out: --{part} names no folder")
        else:
            getattr(comparison, part)()


if __name__ == "__main__":
    main()
