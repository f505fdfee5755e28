"""Writes percentile.json, the oracle of the percentile estimator's test.

This is the estimator of the code published with the paper, in numpy, on a
copy of each column instead of the posterior itself, and on log-odds, which
rank as probabilities do where those have not rounded to 1. numpy 2.4.6.

    python3 percentile.py > percentile.json
"""
import json
import numpy as np

rng = np.random.default_rng(1)
n, c = 150, 4
z = np.round(64 * rng.normal(0, 2, (n, c))) / 64  # exact in float32
z[:20] *= 16  # saturated in float32, some of them in float64 too
p = np.exp(z - z.max(1, keepdims=True))
p /= p.sum(1, keepdims=True)

cases = []
for q in (0.97, 0.9, 0.5):
    anchors, rows = [], []
    for i in range(c):
        column = z[:, i] - np.logaddexp.reduce(np.delete(z, i, axis=1), axis=1)
        column[column >= np.percentile(column, 100 * q, method="linear")] = -np.inf
        x = int(np.argmax(column))
        anchors.append(x)
        rows.append((p[x] / p[x].sum()).tolist())
    cases.append({"quantile": q, "anchors": anchors, "rows": rows})
print(json.dumps({"classes": c, "logits": z.ravel().tolist(), "cases": cases}))
