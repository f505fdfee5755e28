"""Names in CSV files come back as they were given."""

import losscorr
import numpy as np
import pytest
from losscorr import _files

names = ["+", "'+", "''=", "'t Dok", "-x", "@u", "'", "-1", "'-1", "\t=1"]


@pytest.mark.parametrize(
    "text, written",
    # internal/rows/cell_test.go
    {
        "": "", "cat": "cat", "'90s": "'90s", "'": "'", "it's": "it's", "a=b": "a=b", "photos/-1.png": "photos/-1.png",
        "-0.5": "-0.5", "+1e3": "+1e3", "-1": "-1", "-": "'-", "-x": "'-x", "+inf": "'+inf", "-0x1p-2": "'-0x1p-2",
        '=HYPERLINK("http://x")': '\'=HYPERLINK("http://x")', "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
        "'=1": "''=1", "''=1": "'''=1", "'-1": "''-1", "-1_0": "'-1_0", "-1e999": "'-1e999", "-.": "'-.", "-٣": "'-٣",
    }.items(),
)  # fmt: skip
def test_cell(text, written):
    assert _files.cell(text) == written
    assert _files.original(written) == text


def test_what_others_wrote_stays():
    assert [_files.original(text) for text in ("=1", "'90s", "-0.5", "'")] == ["=1", "'90s", "-0.5", "'"]


@pytest.mark.parametrize("pair", [("+", "-"), ("'t Dok", "Zee"), ("'+", "+"), ("-1", "1")])
def test_classes(pair):
    classes = np.array(pair)
    labels = classes[np.arange(200) % 2]
    assert set(losscorr.noisify(labels, "symmetric:.2")) == set(pair)
    assert set(losscorr.noisify(labels, [[0, 1], [1, 0]], classes=pair)[::2]) == {pair[1]}
    probabilities = np.where(labels[:, None] == classes, 0.9, 0.1)
    probabilities[3] = [0.99, 0.01]
    found = losscorr.audit(labels, probabilities, classes=classes, progress=False)
    assert sorted(found.classes) == sorted(pair)
    assert list(found.issues["given"][:1]) == [pair[1]] and list(found.issues["suggested"][:1]) == [pair[0]]
    assert list(found.labels_corrected[:5]) == [pair[0], pair[1], pair[0], pair[0], pair[0]]


def test_examples(tmp_path):
    """p_wrong and issues agree on names that begin like formulas."""
    ids = [name + str(k) for k in range(20) for name in names[:6]] + ["'=", "="]
    file = tmp_path / "ids.csv"
    _files.write_table(file, ["id", "label"], [(name, "ab"[k % 2]) for k, name in enumerate(ids)])
    probabilities = np.array([[0.9, 0.1], [0.1, 0.9]] * (len(ids) // 2))
    probabilities[4] = [0.05, 0.95]
    found = losscorr.audit(file, probabilities, progress=False)
    assert sorted(found.issues["id"]) == sorted(ids) and found.issues["id"][0] == ids[4]
    assert len(found.p_wrong) == len(ids) and found.p_wrong.argmax() == 4
