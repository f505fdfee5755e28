"""The page of the package runs word for word, and its table of cleanlab's calls names what there is."""

import re
from pathlib import Path

import losscorr
import numpy as np

page = (Path(__file__).parents[2] / "docs" / "python-package.md").read_text(encoding="utf-8")


def test_page_runs():
    (program,) = re.findall(r"```python\n(.*?)```", page, re.S)
    values = {}
    exec(compile(program, "docs/python-package.md", "exec"), values)
    found, truth, labels = values["found"], values["truth"], values["labels"]
    assert found.summary["measured"]["average_precision"] > 0.99
    assert np.abs(found.T - values["T"]).max() < 0.1
    assert abs(found.noise_rate - (labels != truth).mean()) < 0.05


def test_table_names_what_there_is():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 400)
    found = losscorr.audit(truth, np.eye(2)[truth] * 0.9 + 0.05, progress=False)
    rows = re.findall(r"^\| .*? \| (.*) \|$", page, re.M)[1:]
    assert len(rows) == 10
    for row in rows:
        for name in re.findall(r"found\.(\w+)", row):
            assert hasattr(found, name), name
        for name in re.findall(r"losscorr\.(\w+)\(", row):
            assert hasattr(losscorr, name), name
