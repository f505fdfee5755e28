"""The package as installed by pip: LOSSCORR_TEST_TORCH is "with" where torch is beside it, else "without"."""

import csv
import html
import json
import os
import re
import subprocess
import sys
import time

import losscorr
import numpy as np
import pytest
from losscorr import _program

torch = os.environ.get("LOSSCORR_TEST_TORCH") == "with"
needs_torch = pytest.mark.skipif(not torch, reason="no torch beside the package")
T = np.array([[0.8, 0.2, 0], [0, 0.8, 0.2], [0.2, 0, 0.8]])


@pytest.fixture
def data():
    """True labels [N], given ones drawn by T, the probabilities of the given label by a good model, and features."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 900)
    given = np.array([rng.choice(3, p=T[y]) for y in truth])
    clean = np.full((900, 3), 0.02)
    clean[np.arange(900), truth] = 0.96
    features = rng.normal(size=(900, 6))
    features[np.arange(900), truth] += 4
    return truth, given, clean @ T, features.astype(np.float32)


def test_audit_of_probabilities(data):
    truth, given, probabilities, _ = data
    found = losscorr.audit(given, pred_probs=probabilities, truth=truth, progress=False)
    assert found.summary["measured"]["average_precision"] > 0.99
    wrong = np.flatnonzero(truth != given)
    assert set(found.issues["id"][:50]) <= set(wrong)
    assert (found.labels_corrected == truth).mean() > 0.98
    assert found.labels_corrected.dtype == given.dtype
    assert found.p_wrong[wrong].min() > found.p_wrong[truth == given].max()
    assert found.flagged == len(wrong) and found.wrong.estimate is None
    assert 0 < found.wrong.low <= found.wrong.high < len(given)
    assert (found.issues["suggested"] != found.issues["given"]).all()
    assert np.isnan(found.issues["unusual"]).all()
    assert found.html.startswith("<!doctype html>") and "iframe" in found._repr_html_()


def test_accept(data, tmp_path):
    truth, given, probabilities, _ = data
    given = np.where(np.arange(900) % 100 == 0, given, truth)  # fewer than 1 % are wrong
    found = losscorr.audit(given, probabilities, progress=False)
    asked = []

    def right(example):
        asked.append(example.id)
        return str(truth[int(example.id)])

    done = losscorr.accept(found, 0.05, ask=right)
    assert done.verdict == "accepted" and done.checked == len(asked) == len(set(asked)) < 300
    assert done.wrong / done.checked < 0.05 and done.high < 0.05 and {p["by"] for p in done.parts} == {"class"}
    assert "Fewer than 5 % of 900 labels are wrong" in str(done) and done.page.exists()
    again = losscorr.accept(found, 0.05, ask=lambda _: pytest.fail("asked again"))
    assert again.verdict == "accepted" and again.checked == done.checked

    table = tmp_path / "table.csv"
    table.write_text("id,text,label\n" + "".join(f"{k},text {k},{k % 2}\n" for k in range(400)))
    arguments = ["--text", "text", "--id", "id"]
    wrong = losscorr.accept(table, 0.2, ask=lambda e: "1" if e.given == "0" else "none", checks=40, arguments=arguments)
    assert wrong.verdict == "rejected" and wrong.wrong == wrong.checked <= 40 and wrong.low > 0.2
    skipped = losscorr.accept(table, 0.2, ask=lambda _: "skip", checks=15, arguments=arguments, out=tmp_path / "skipped")
    assert (skipped.verdict, skipped.checked, skipped.wrong) == ("undecided", 15, 0)
    with pytest.raises(losscorr.Error, match="give a share between 0 and 1"):
        losscorr.accept(table, 1.5, ask=lambda _: "skip")


def test_print_repeats_the_page(data):
    _, given, probabilities, _ = data
    found = losscorr.audit(given, probabilities, progress=False)
    page = html.unescape(re.sub("<[^>]+>", "", found.html))
    verdict, flagged, changes, place = str(found).splitlines()
    assert verdict in page and changes in page and changes.startswith("labels_corrected.csv changes ")
    assert flagged == f"Labels more likely wrong than right: {found.flagged:,}."
    assert f"more likely wrong than right{found.flagged:,}" in page
    assert place == f"Page: {found.folder / 'report.html'}"
    path = found.folder / "summary.json"
    path.write_text(json.dumps(found.summary | {"changes": None, "warnings": ["Labels are missing."]}))
    *_, changes, warning, _ = str(losscorr.Audit(found.folder)).splitlines()
    assert changes == "labels_corrected.csv changes only what you decide: too few of the model's changes would be right."
    assert warning == "Warning: Labels are missing."


def test_weak_probabilities_leave_a_wide_range(data):
    _, given, _, _ = data
    found = losscorr.audit(given, np.random.default_rng(1).dirichlet([1, 1, 1], 900), progress=False)
    assert found.wrong.low < 100 and found.wrong.high > 400
    assert np.isfinite(found.p_wrong).all() and (found.issues["suggested"] != found.issues["given"]).all()
    assert (found.labels_corrected == given).all() and np.allclose(found.T.sum(1), 1)


def test_T_has_true_classes_as_rows(data):
    _, given, probabilities, _ = data
    t = losscorr.estimate_T(given, probabilities)
    assert np.abs(t - T).max() < 0.1
    assert np.allclose(t.sum(1), 1)


def test_labels_may_be_names_in_any_order(data):
    truth, given, probabilities, _ = data
    names = np.array(["zebra", "it's", "a, b"])
    found = losscorr.audit(names[given], probabilities, classes=names, truth=names[truth], progress=False)
    assert found.classes == sorted(names)
    assert np.abs(losscorr.estimate_T(names[given], probabilities, classes=names) - T).max() < 0.1
    assert found.summary["measured"]["average_precision"] > 0.99
    assert (found.labels_corrected == names[truth]).mean() > 0.98


def test_numbers_as_texts_have_the_order_of_numbers():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 12, 1200)
    given = np.where(rng.random(1200) < 0.15, rng.integers(0, 12, 1200), truth)
    probabilities = np.full((1200, 12), 0.01)
    probabilities[np.arange(1200), truth] = 0.89
    for labels in (given, given.astype(str), given + 1):
        found = losscorr.audit(labels, probabilities, progress=False)
        assert (found.p_wrong > 0.5).sum() == (given != truth).sum()
    assert losscorr.estimate_T(given.astype(str), probabilities).diagonal().min() > 0.7
    letters = np.array(list("lkjihgfedcba"))
    with pytest.raises(losscorr.Error, match="another order.*they seem to be l, k, j"):
        losscorr.audit(letters[given], probabilities, progress=False)


def test_a_class_may_have_no_label(data):
    truth, given, probabilities, _ = data
    rng = np.random.default_rng(2)
    few = rng.choice(len(given), 40, replace=False)
    wide = np.insert(probabilities, 1, 0.01, axis=1)  # of class 1; the labels are 0, 2 and 3
    wide[few] = [0.02, 0.94, 0.02, 0.02]
    numbers = np.array([0, 2, 3])[given]
    names = np.array(["zebra", "it's", "a, b", "cow"])
    for labels, absent, more in ((numbers, 1, {}), (names[numbers], "it's", {"classes": names})):
        found = losscorr.audit(labels, wide, progress=False, **more)
        assert len(found.classes) == 4 and found.T.shape == (4, 4)
        assert set(np.flatnonzero(found.labels_corrected == absent)) == set(few)
        assert any("for classes without labels" in text for text in found.warnings)
    assert np.abs(losscorr.estimate_T(names[numbers], wide, classes=names)[[0, 2, 3]][:, [0, 2, 3]] - T).max() < 0.1
    with pytest.raises(losscorr.Error, match="3 classes .* 4 columns .* name the class of each column"):
        losscorr.audit(names[numbers], wide, progress=False)


def test_rounded_probabilities(data):
    truth, given, probabilities, _ = data
    rounded = probabilities * np.where(np.arange(900) < 450, 0.97, 1)[:, None]
    found = losscorr.audit(given, rounded, truth=truth, progress=False)
    assert found.summary["measured"]["average_precision"] > 0.99
    (finding,) = [text for text in found.warnings if "perhaps from rounding" in text]
    assert finding.startswith("450 rows of ") and "with a sum of 0.97 to 0.97 rather than 1" in finding
    for wrong in (probabilities * 100, np.log(probabilities)):
        with pytest.raises(losscorr.Error, match="want probabilities from 0 to 1"):
            losscorr.audit(given, wrong, progress=False)


def test_missing_labels_are_named():
    pandas = pytest.importorskip("pandas")
    probabilities = [[0.9, 0.1], [0.2, 0.8], [0.9, 0.1], [0.3, 0.7]]
    missing = [pandas.array([0, 1, None, 1], dtype="Int64"), np.ma.array([0, 1, 0, 1], mask=[0, 0, 1, 0]), ["a", "b", float("nan"), "b"]]
    for labels in missing:
        with pytest.raises(ValueError, match="label 2 is missing"):
            losscorr.audit(labels, probabilities, progress=False)
    labels = pandas.array([0, 1, 0, 1], dtype="Int64")
    found = losscorr.audit(labels, probabilities, truth=pandas.array([0, 1, 0, None], dtype="Int64"), progress=False)
    assert found.summary["measured"]["known"] == 3 and found.labels_corrected.dtype == int


def test_unknown_truth_is_left_out(data):
    truth, given, probabilities, _ = data
    known = [int(y) if k < 300 else None for k, y in enumerate(truth)]
    found = losscorr.audit(given, probabilities, truth=known, progress=False)
    assert found.summary["measured"]["known"] == 300


@pytest.fixture
def people():
    """True classes of 300 examples, and the answers of four people, of whom the last one guesses: [300 4]."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    answers = np.stack([np.where(rng.random(300) < right, truth, 1 - truth) for right in (0.95, 0.9, 0.85, 0.5)], 1)
    answers[rng.random(answers.shape) < 0.1] = -1
    answers[(answers == -1).all(1), 0] = 0
    return truth, answers


def test_answers_of_several_people(people):
    truth, answers = people
    found = losscorr.audit(answers=answers, progress=False)
    majority = np.array([np.bincount(a[a >= 0], minlength=2).argmax() for a in answers])
    consensus = found.consensus
    assert (consensus["label"].astype(int) == truth).mean() > (majority == truth).mean()
    workers = list(found.people["worker"])
    assert workers[-1] == str(answers.shape[1] - 1)
    assert found.people["accuracy"].max() > 0.85

    long = [(n, f"person {r}", int(label)) for (n, r), label in np.ndenumerate(answers) if label >= 0]
    again = losscorr.audit(answers=long, progress=False)
    assert sorted(again.people["worker"]) == [f"person {r}" for r in range(4)]
    by_task = dict(zip(map(str, again.consensus["task"]), again.consensus["label"]))
    assert [by_task[str(n)] for n in range(300)] == list(consensus["label"])


def test_random_checks_count(data, tmp_path):
    truth, given, probabilities, _ = data
    found = losscorr.audit(given, probabilities, out=tmp_path / "audit", progress=False)
    _program.run("review", str(found.folder), "--random", "60", "--write", str(tmp_path / "checks.csv"), progress=False)
    with open(tmp_path / "checks.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(tmp_path / "filled.csv", "w", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows({**row, "true": truth[int(row["id"])]} for row in rows)
    checked = losscorr.audit(given, probabilities, answers_from=tmp_path / "filled.csv", out=tmp_path / "audit", progress=False)
    wrong = (truth != given).sum()
    assert abs(checked.wrong.estimate - wrong) < 20 and checked.wrong.low < wrong < checked.wrong.high
    assert str(checked).startswith(f"About {checked.wrong.estimate:.0f} of 900 labels are wrong, between ")


def test_columns_of_a_frame_name_the_classes(data):
    truth, given, probabilities, _ = data
    pandas = pytest.importorskip("pandas")
    names = np.array(["zebra", "it's", "a, b"])
    frame = pandas.DataFrame(probabilities, columns=names)
    found = losscorr.audit(pandas.Series(names[given]), frame, truth=names[truth], progress=False)
    assert found.summary["measured"]["average_precision"] > 0.99
    assert np.abs(losscorr.estimate_T(names[given], frame) - T).max() < 0.1
    unnamed = losscorr.audit(given, pandas.DataFrame(probabilities), truth=truth, progress=False)
    assert unnamed.summary["measured"]["average_precision"] > 0.99
    with pytest.raises(ValueError, match="do not match the labels: give classes"):
        losscorr.audit(given, frame, progress=False)


def test_labels_may_be_true_and_false(data):
    truth, given, probabilities, _ = data
    two = np.stack([1 - probabilities[:, 1], probabilities[:, 1]], 1)
    found = losscorr.audit(given == 1, two, progress=False)
    assert found.labels_corrected.dtype == bool
    assert (found.labels_corrected == (truth == 1)).mean() > 0.85


def test_noisify_takes_classes_in_any_order(data):
    names = np.array(["zebra", "it's", "a, b"])
    truth = names[data[0]]
    noisy = losscorr.noisify(truth, T, classes=names)
    assert set(noisy[truth == "zebra"]) == {"zebra", "it's"}
    assert set(noisy[truth == "a, b"]) == {"a, b", "zebra"}


def test_noisify(data):
    truth = data[0]
    noisy = losscorr.noisify(truth, T)
    assert noisy.dtype == truth.dtype
    assert abs((noisy != truth).mean() - 0.2) < 0.05
    changed = noisy != truth
    assert ((truth[changed] + 1) % 3 == noisy[changed]).all()
    assert (losscorr.noisify(truth, T) == noisy).all()
    assert (losscorr.noisify(truth, T, seed=2) != noisy).any()


def test_errors_are_those_of_the_program(data):
    _, given, probabilities, features = data
    with pytest.raises(losscorr.Error, match="899") as caught:
        losscorr.audit(given[:899], probabilities, progress=False)
    assert caught.value.code == 65
    with pytest.raises(ValueError, match="3 columns for 2 classes"):
        losscorr.audit(given, probabilities, classes=[0, 1])
    with pytest.raises(ValueError, match="give pred_probs, features, path or answers"):
        losscorr.audit(given)
    with pytest.raises(ValueError, match="label 1 is missing"):
        losscorr.audit([1.0, float("nan")], probabilities[:2])
    with pytest.raises(ValueError, match="give arrays as features"):
        losscorr.train(features, labels=given)
    if not torch:
        with pytest.raises(losscorr.Error, match="python3 -m pip install torch==") as caught:
            losscorr.audit(given, features=features, progress=False)
        assert caught.value.code == 69


@needs_torch
def test_audit_of_features(data):
    truth, given, _, features = data
    found = losscorr.audit(given, features=features, truth=truth, progress=False)
    assert found.summary["measured"]["average_precision"] > 0.95


@needs_torch
def test_train(data):
    _, given, _, features = data
    trained = losscorr.train("epochs=3", features=features, labels=given, progress=False)
    assert list(trained.results) == ["cross-entropy", "forward-estimated"]
    weights = trained.weights("cross-entropy")
    assert weights["0.weight"].shape[1] == 6
    seeds = losscorr.train("epochs=1", "loss=cross-entropy", features=features, labels=given, arguments=["--seeds", "1-2"], progress=False)
    assert list(seeds.results) == ["cross-entropy, seed 1", "cross-entropy, seed 2"]


@needs_torch
def test_train_on_what_was_audited(data):
    truth, given, _, features = data
    found = losscorr.audit(given, features=features, progress=False)
    trained = losscorr.train("epochs=3", audited=found, progress=False)
    assert list(trained.results) == ["cross-entropy", "cross-entropy on corrected labels"]
    assert len(next(iter(trained.weights().values()))) > 0
    with pytest.raises(ValueError, match="give path, features or audited"):
        losscorr.train(labels=given)


def test_command():
    command = os.path.join(os.path.dirname(sys.executable), "losscorr")
    out = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert "0.1.0" in out


def test_much_output_does_not_block(tmp_path, monkeypatch):
    """A program that prints more than a pipe holds before it ends its standard error."""
    script = tmp_path / "program"
    script.write_text(f"#!{sys.executable}\nimport sys\nsys.stdout.write('x' * 10**6)\nsys.stdout.flush()\nsys.stderr.write('done\\n')\n")
    script.chmod(0o755)
    monkeypatch.setenv("LOSSCORR_PROGRAM", str(script))
    assert len(_program.run("audit", progress=False)) == 10**6


def test_interrupt_ends_the_program(tmp_path, monkeypatch):
    script, alive = tmp_path / "program", tmp_path / "ended"
    script.write_text(
        f"#!{sys.executable}\nimport signal, sys, time\n"
        f"def end(*_):\n    open({str(alive)!r}, 'w').close()\n    sys.exit(75)\n"
        "signal.signal(signal.SIGTERM, end)\nsys.stderr.write('begun\\n')\nsys.stderr.flush()\ntime.sleep(60)\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("LOSSCORR_PROGRAM", str(script))
    class Stop:
        def write(self, text):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stderr", Stop())
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        _program.run("audit")
    assert alive.exists() and time.monotonic() - begun < 50
