"""How often labels are accepted that should not be, and how many checks it takes to accept or reject others.

    python3 benchmarks/accept.py --sets DIR --out results/accept/accept.csv

Needs numpy, scipy, MNIST and IMDB in --data. DIR has NAME-NETWORK.npz with probabilities [N C] of strong networks,
labels [N] and truth [N], class numbers. Each row is 1,000 simulated reviews at a limit of 3 % and a risk of 5 %. Wrong
labels of a set get their true class, or right labels a random class, until a share of the limit is wrong; "over" is
one label above the limit. The audit sees these labels, with the same probabilities. For comparison: the size of a
binomial plan that accepts (rejects) such a set with a probability of .9 at the same risk, and the median of Wald's
sequential test of exactly that rate against the limit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import SEED, Results, audit, generator, losscorr, parser, program, workplace
from data_sets import (
    DIGITS, MNIST_FLIPS, SENTIMENTS, asymmetric, mnist, noisify, one_sided, reviews, write_array, write_texts,
)
from scipy.stats import beta, binom

LIMIT, RISK, POWER, REVIEWS = 0.03, 0.05, 0.9, 1000
SHARES = {"none": 0.0, "quarter": 0.25, "half": 0.5, "over": None, "twice": 2.0}  # of the limit


@dataclass
class Labels:
    """Labels [N] with the truth [N] and out-of-fold probabilities [N C] of a network."""

    name: str
    network: str
    given: np.ndarray
    truth: np.ndarray
    probabilities: np.ndarray

    def with_wrong(self, count: int) -> np.ndarray:
        """Returns the labels with count wrong ones: some get their true class, or right labels a random other class."""
        rng, labels = generator(count), self.given.copy()
        wrong, right = np.flatnonzero(labels != self.truth), np.flatnonzero(labels == self.truth)
        for x in rng.permutation(wrong)[count:]:
            labels[x] = self.truth[x]
        for x in rng.permutation(right)[: max(0, count - len(wrong))]:
            labels[x] = rng.choice([k for k in range(self.probabilities.shape[1]) if k != labels[x]])
        return labels


def strong(sets: Path) -> Iterator[Labels]:
    """Reads labels with the probabilities of strong networks, and one set with true labels."""
    for path in sorted(sets.glob("*.npz")):
        data, (name, network) = np.load(path), path.stem.rsplit("-", 1)
        p = data["probabilities"].astype("float64")
        p /= p.sum(1, keepdims=True)
        truth = data["truth"].astype(int)
        yield Labels(name, network, data["labels"].astype(int), truth, p)
        if path.stem == "aggregated-swin":
            yield Labels("clean", network, truth, truth, p)


def own(work: Path, data: Path) -> Iterator[Labels]:
    """Audits digits and reviews with the program's own networks, and uses their probabilities."""
    x, truth = mnist(data, "t10k")
    digits = noisify(truth, asymmetric(DIGITS, 0.2, MNIST_FLIPS), DIGITS)
    texts = reviews(data, "train")
    texts = texts.part(generator(1).permutation(len(texts.ids))[:5000])
    opinions = noisify(texts.truth, one_sided(0.1, 0.05), SENTIMENTS)
    for name, classes, arguments, given, true in (
        ("mnist", DIGITS, write_array(work, "digits", x, digits, truth), digits, truth),
        ("reviews", SENTIMENTS, write_texts(work / "r.csv", texts, opinions), opinions, texts.truth),
    ):
        p = np.load(audit(work / name, *arguments).folder / "noisy_probabilities.npy").astype("float64")
        number = {c: k for k, c in enumerate(classes)}
        yield Labels(name, "own", np.array([number[y] for y in given]), np.array([number[y] for y in true]), p)


def binomial_plan(rate: float, limit: float = LIMIT) -> int | None:
    """Returns the fewest checks that distinguish a set with a rate from one at the limit."""
    for n in range(1, 20000):
        if rate < limit:
            c = int(binom.ppf(RISK, n, limit)) - 1  # most wrong labels with a probability of at most the risk
            if c >= 0 and binom.cdf(c, n, limit) <= RISK and binom.cdf(c, n, rate) >= POWER:
                return n
        elif binom.sf(binom.isf(RISK, n, limit), n, rate) >= POWER:
            return n
    return None


def wald(rate: float, limit: float = LIMIT) -> float:
    """Returns the median number of checks of Wald's test of a rate against the limit, at that rate."""
    p = max(rate, 1e-4)
    step = np.array([math.log((1 - p) / (1 - limit)), math.log(p / limit)])
    wrong = generator(2).random((REVIEWS, 20000)) < rate
    total = np.cumsum(step[wrong.astype(int)], axis=1)
    ends = (total >= math.log(POWER / RISK)) | (total <= math.log((1 - POWER) / (1 - RISK)))
    return float(np.median(np.argmax(ends, axis=1) + 1))


def measure(results: Results, work: Path, labels: Labels) -> None:
    n = len(labels.given)
    for name, share in SHARES.items():
        count = math.floor(LIMIT * n) + 1 if share is None else round(share * LIMIT * n)
        given, folder = labels.with_wrong(count), work / f"{labels.name}-{labels.network}-{name}"
        wrong, told = given != labels.truth, share is not None
        losscorr.audit(given, pred_probs=labels.probabilities, classes=range(labels.probabilities.shape[1]), out=folder,
                       progress=False)
        np.save(work / "wrong.npy", wrong.astype("float32"))
        for w in ("audit", "none", "reversed"):
            done = json.loads(program("simulate", "accept", "--limit", LIMIT, "--repeat", REVIEWS, "--seed", SEED, "--w", w,
                                      folder, work / "wrong.npy"))
            verdicts, checks = np.array(done["verdicts"]), np.array(done["checks"])
            accepted = int((verdicts == "accepted").sum())
            low = beta.ppf(0.005, accepted, REVIEWS - accepted + 1) if accepted else 0.0
            row = {"labels": labels.name, "network": labels.network, "examples": n, "wrong": int(wrong.sum()), "w": w}
            row |= {"rate": name, "limit": LIMIT, "reviews": REVIEWS, "accepted": accepted / REVIEWS}
            row |= {"rejected": float((verdicts == "rejected").mean()), "accepted_low": float(low)}
            row |= {"checks_median": int(np.median(checks)), "checks_90": int(np.quantile(checks, 0.9))}
            rate = count / n
            results.add(row | {"binomial": binomial_plan(rate) if told else None, "wald": int(wald(rate)) if told else None})


def main() -> None:
    p = parser(__doc__, ("strong", "own"))
    p.add_argument("--sets", type=Path, help="folder of NAME-NETWORK.npz")
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    if "strong" in flags.only and flags.sets:
        for labels in strong(flags.sets):
            measure(results, work, labels)
    if "own" in flags.only:
        for labels in own(work, flags.data):
            measure(results, work, labels)


if __name__ == "__main__":
    main()
