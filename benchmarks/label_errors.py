"""Rankings of an audit compared with self-confidence, cleanlab's default, on test labels judged by people.

    python3 benchmarks/label_errors.py --mistakes DIR --out results/human/label-errors.csv

Needs numpy, cleanlab; IMDB in --data. --mistakes is the folder of the repository cleanlab/label-errors with its
posteriors and judgements. Ties are in random order; 90 % intervals use the bootstrap over judged labels. F1 is for
p_wrong > .5 and for find_label_issues.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from common import Results, audit, average_precision, f1, generator, losscorr, parser, shuffled_order, workplace
from data_sets import SENTIMENTS, Mistakes, mistakes, reviews, write_texts

BOOTSTRAPS = 500
COLUMNS = [
    score + limit for score in ("average_precision", "self_confidence", "difference") for limit in ("", "_low", "_high")
]


def intervals(own: np.ndarray, self: np.ndarray, wrong: np.ndarray) -> list[float]:
    """Returns the average precision of both rankings and the difference, each with its interval."""
    rng, samples = generator(3), []
    for k in range(BOOTSTRAPS + 1):
        rows = rng.integers(len(wrong), size=len(wrong)) if k else np.arange(len(wrong))
        p, q = (average_precision(shuffled_order(score[rows], rng), wrong[rows]) for score in (own, self))
        samples.append((p, q, p - q))
    samples = np.array(samples)
    low, high = np.quantile(samples, (0.05, 0.95), axis=0)
    return np.stack([samples[0], low, high], 1).ravel().tolist()


def compare(
    m: Mistakes, found: losscorr.Audit, names: Sequence[Any], p: np.ndarray, given: np.ndarray, rows: np.ndarray
) -> Iterator[dict[str, Any]]:
    """Yields rows that compare an audit with cleanlab on posteriors p [N C] of given labels [N]. The audit has the
    judged examples under names, and p has them at rows."""
    from cleanlab.filter import find_label_issues

    order = {name: k for k, name in enumerate(found.issues["id"])}
    place = np.array([order[name] for name in names])
    flagged = np.asarray(found.issues["p_wrong"])[place] > 0.5
    theirs = find_label_issues(given, p / p.sum(1, keepdims=True, dtype="float64"), n_jobs=1)[rows]
    kinds = {"not for the given label": m.chose_given < 3, "for the suggested label": m.chose_guessed >= 3}
    for kind, wrong in kinds.items():
        row = {"wrong_is": kind, "judged": len(wrong), "wrong": wrong.sum()}
        row |= dict(zip(COLUMNS, intervals(place, p[rows, given[rows]], wrong)))
        yield row | {"f1": f1(flagged, wrong), "cleanlab_f1": f1(theirs, wrong)}


def main() -> None:
    p = parser(__doc__)
    p.add_argument("--mistakes", type=Path, required=True, help="files of the repository cleanlab/label-errors")
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    for data in ("cifar10", "imdb"):
        m = mistakes(flags.mistakes, data)
        found = losscorr.audit(m.given, pred_probs=m.posteriors, progress=False)
        for row in compare(m, found, m.judged, m.posteriors, m.given, m.judged):
            results.add({"data": f"{data}, given posteriors", **row})
    texts = reviews(flags.data, "test")
    found = audit(work / "audit", *write_texts(work / "texts.csv", texts, texts.truth)[:-2]).found  # labels only
    at, names = {name: k for k, name in enumerate(texts.ids)}, [m.ids[k] for k in m.judged]
    posteriors = np.load(found.folder / "noisy_probabilities.npy")
    given = np.searchsorted(SENTIMENTS, texts.truth.astype(str))
    for row in compare(m, found, names, posteriors, given, np.array([at[name] for name in names])):
        results.add({"data": "imdb, own networks", **row})


if __name__ == "__main__":
    main()
