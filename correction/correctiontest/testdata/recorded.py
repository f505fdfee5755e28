"""Records the networks of an audit by losscorr as audit_*.bin.gz, for tests of what is computed from them.

    losscorr demo DIR
    python3 recorded.py DIR/audit DIR/labels.csv 3000 audit_demo.bin.gz

audit_asymmetric_6.bin.gz (12,000 images) and audit_imdb.bin.gz (12,500 reviews) are from audits
of the data that benchmarks/review_loop.py --work DIR makes; they were recorded at revision 6cbbb1a.

Arguments: the folder of the audit, a table with the columns truth and id or file_name (else
rows are counted), the number of examples to keep, evenly spaced, and the file to write. Of each
example it has the true label, the given label, and the posteriors of the first and of the
second network as round(4 (max log p - log p)), at most 255: 2 + 2c bytes.
"""
import csv
import gzip
import json
import sys

import numpy as np


def code(p):
    log = np.log(np.maximum(p, 1e-30))
    return np.minimum(255, np.round(4 * (log.max(1, keepdims=True) - log))).astype(np.uint8)


def main(folder, table, kept, out):
    with open(folder + "/summary.json") as f:
        classes = [c["name"] for c in json.load(f)["classes"]]
    with open(table) as f:
        truth = {r.get("file_name", r.get("id", str(i))): r["truth"] for i, r in enumerate(csv.DictReader(f))}
    with open(folder + "/issues.csv") as f:
        given = {r["id"]: r["given"] for r in csv.DictReader(f)}
    with open(folder + "/labels_corrected.csv") as f:
        ids = [r["id"] for r in csv.DictReader(f)]  # in the order of the data
    labels = np.array([[classes.index(truth[i]), classes.index(given[i])] for i in ids], np.uint8)
    first, second = np.load(folder + "/noisy_probabilities.npy"), np.load(folder + "/probabilities.npy")
    rows = np.concatenate([labels, code(first), code(second)], 1)[::max(1, len(ids) // int(kept))][:int(kept)]
    with gzip.GzipFile(out, "wb", 9, mtime=0) as f:
        f.write(rows.tobytes())


main(*sys.argv[1:])
