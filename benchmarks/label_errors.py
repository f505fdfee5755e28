"""The ranking by T beside self-confidence, cleanlab's default, on labels of two test sets that people have judged.

    python3 benchmarks/label_errors.py --mistakes DIR --out results/human/label-errors.csv

Needs numpy. --mistakes is the folder of the repository cleanlab/label-errors with its posteriors and judgements. Both
rankings are of the given posteriors, with ties in random order; intervals at 90 % are by the bootstrap over the judged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from common import Results, average_precision, generator, losscorr, parser, shuffled_order
from data_sets import Mistakes, mistakes

BOOTSTRAPS = 500


def scores(m: Mistakes) -> tuple[np.ndarray, np.ndarray]:
    """Returns the place of each judged label in the ranking by T, and its self-confidence."""
    order = np.asarray(losscorr.audit(m.given, pred_probs=m.posteriors, progress=False).issues["id"])
    place = np.empty(len(order))
    place[order] = np.arange(len(order))
    return place[m.judged], m.posteriors[m.judged, m.given[m.judged]]


def intervals(own: np.ndarray, self: np.ndarray, wrong: np.ndarray) -> list[float]:
    """Returns the average precision of both rankings and their difference, each with its interval."""
    rng, samples = generator(3), []
    for k in range(BOOTSTRAPS + 1):
        rows = rng.integers(len(wrong), size=len(wrong)) if k else np.arange(len(wrong))
        p, q = (average_precision(shuffled_order(score[rows], rng), wrong[rows]) for score in (own, self))
        samples.append((p, q, p - q))
    samples = np.array(samples)
    low, high = np.quantile(samples, (0.05, 0.95), axis=0)
    return np.stack([samples[0], low, high], 1).ravel().tolist()


def main() -> None:
    p = parser(__doc__)
    p.add_argument("--mistakes", type=Path, required=True, help="files of the repository cleanlab/label-errors")
    flags = p.parse_args()
    results = Results(flags.out)
    columns = ["average_precision", "low", "high", "self_confidence", "self_confidence_low", "self_confidence_high"]
    columns += ["difference", "difference_low", "difference_high"]
    for data in ("cifar10", "imdb"):
        m = mistakes(flags.mistakes, data)
        own, self = scores(m)
        kinds = {"not for the given label": m.chose_given < 3, "for the suggested label": m.chose_guessed >= 3}
        for name, wrong in kinds.items():
            row = {"data": data, "wrong_is": name, "judged": len(wrong), "wrong": wrong.sum()}
            results.add(row | dict(zip(columns, intervals(own, self, wrong))))


if __name__ == "__main__":
    main()
