# Scores the labels of a JSON request with cleanlab. The request's paths are NPY files; the
# answer, on standard output, is one line of JSON.
import json
import sys
import time

import cleanlab
import numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores


def average_precision(score, wrong):
    hits = wrong[np.argsort(score, kind="stable")]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())


request = json.load(sys.stdin)
answer = {"version": cleanlab.__version__}
if "features" in request:
    # What people do without losscorr: out-of-fold posteriors of scikit-learn's network,
    # then cleanlab's score. The time of the imports does not count.
    import sklearn
    from sklearn.model_selection import cross_val_predict
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    given = np.array(request["given"])
    begun = time.perf_counter()
    x = np.load(request["features"]).astype("float32")
    network = MLPClassifier((128, 128), batch_size=128, max_iter=request["epochs"], n_iter_no_change=1000, random_state=1)
    p = cross_val_predict(make_pipeline(StandardScaler(), network), x, given, cv=4, n_jobs=request["jobs"], method="predict_proba")
    find_label_issues(given, p, n_jobs=1)
    get_label_quality_scores(given, p)
    answer.update(seconds=time.perf_counter() - begun, sklearn=sklearn.__version__)
if "posteriors" in request:
    p = np.load(request["posteriors"]).astype("float64")
    p /= p.sum(1, keepdims=True)
    given, judged = np.array(request["given"]), np.array(request["judged"])
    wrong = np.array(request["wrong"], dtype=bool)
    scores = {}
    for method in ["self_confidence", "normalized_margin", "confidence_weighted_entropy"]:
        for adjusted in [False, True][: 1 if method == "confidence_weighted_entropy" else 2]:
            score = get_label_quality_scores(given, p, method=method, adjust_pred_probs=adjusted)
            scores[method + (", adjusted" if adjusted else "")] = average_precision(score[judged], wrong)
    flagged = find_label_issues(given, p, n_jobs=1)[judged]
    if "near" in request:
        # The share of the 30 nearest neighbours by cosine that have another label.
        x = np.load(request["near"]).astype("float32")
        x -= x.mean(0)
        x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
        same = np.zeros(len(x))
        for begin in range(0, len(x), 1000):
            cosine = x[begin : begin + 1000] @ x.T
            rows = np.arange(len(cosine))
            cosine[rows, begin + rows] = -9
            near = np.argpartition(-cosine, 30, axis=1)[:, :30]
            same[begin + rows] = (given[near] == given[begin + rows, None]).mean(1)
        answer["neighbours"] = average_precision((same + 1e-6 * np.random.default_rng(0).random(len(same)))[judged], wrong)
    answer.update(scores=scores, f1=float(2 * (flagged & wrong).sum() / (flagged.sum() + wrong.sum())))
print(json.dumps(answer))
