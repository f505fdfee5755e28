"""Several people's answers, in each form that Python users have."""

import losscorr
import numpy as np
import pytest
from losscorr import _answers

rng = np.random.default_rng(1)
truth = rng.integers(0, 3, 150)
given = np.where(rng.random((150, 3)) < 0.8, truth[:, None], rng.integers(0, 3, (150, 3)))
given[rng.random(given.shape) < 0.2] = -1  # no answer
given[7] = -1
people = ["'t Dok", "Doe, Jane", "+x"]
names = np.array(["cat", "-", "'+"])


def triples(matrix):
    return [(100 + n, 50 + r, int(label)) for (n, r), label in np.ndenumerate(matrix) if label >= 0]


def missing(matrix, value):
    return [[value if label < 0 else int(label) for label in row] for row in matrix]


def result(answers, progress=False):
    """Tasks, classes, people and how many answers each gave."""
    found = losscorr.audit(answers=answers, progress=progress)
    counts = dict(sorted(zip(map(str, found.people["worker"]), map(int, found.people["answers"]))))
    return list(found.consensus["task"]), found.classes, counts


counts = [int(n) for n in (given >= 0).sum(0)]
numbered = ([str(n) for n in range(150)], ["0", "1", "2"], {str(r): n for r, n in enumerate(counts)})


@pytest.mark.parametrize(
    "answers",
    [
        given,
        given.astype(float),
        np.where(given < 0, np.nan, given),
        np.ma.array(np.where(given < 0, 0, given), mask=given < 0),
        missing(given, None),
        missing(given, float("nan")),
        np.array(missing(given, None), dtype=object),
    ],
    ids=["integers", "floats", "NaN", "masked", "None in lists", "NaN in lists", "objects"],
)
def test_matrix_of_numbers(answers):
    assert result(answers) == numbered


def test_matrix_of_names_and_of_truth_values():
    texts = [[None if label < 0 else names[label] for label in row] for row in given]
    tasks, classes, answered = result(texts)
    assert (tasks, answered) == (numbered[0], numbered[2]) and classes == sorted(names)
    texts = np.where(given < 0, "", names[given])
    assert result(texts)[1:] == (sorted(names), numbered[2])
    pairs = np.where(given < 0, 0, given) == 1
    assert result(pairs) == (numbered[0], ["False", "True"], {"0": 150, "1": 150, "2": 150})


def test_names_of_people():
    named = (*numbered[:2], dict(sorted(zip(people, counts))))
    assert result({name: given[:, r] for r, name in enumerate(people)}) == named
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.where(given < 0, np.nan, given), columns=people)
    assert result(frame) == named
    assert result(frame.astype("Int64")) == named
    assert result(pandas.DataFrame(given)) == numbered
    labels = [f"@{n}" for n in range(150)]
    assert result(frame.assign(id=labels)) == (labels, *named[1:])
    frame.index = pandas.Index(labels, name="task")
    assert result(frame) == (labels, *named[1:])


def test_triples():
    list_of = triples(given)
    tasks, classes, answered = result(list_of)
    want = ([str(n) for n in dict.fromkeys(task for task, *_ in list_of)], ["0", "1", "2"], dict(zip(["50", "51", "52"], counts)))
    assert (tasks, classes, answered) == want
    columns = dict(zip(["task", "worker", "label"], zip(*list_of)))
    for answers in (columns, {"id": columns["task"], "annotator": columns["worker"], "label": columns["label"]}):
        assert result(answers) == want
    texts = np.array([(f"img {task}", f"w{worker}", names[label]) for task, worker, label in list_of])
    assert len(result(texts)[0]) == len(want[0]) and result(texts)[1] == sorted(names)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns).astype({"label": "Int64"})
    frame.loc[len(frame)] = [107, 50, pandas.NA]
    assert result(frame) == want
    assert result(frame.set_index(["task", "worker"])) == want


def test_what_is_unclear_is_an_error():
    both = "may be labels by three people for .* examples, or .* answers with task, worker and label"
    for answers in (np.array(triples(given)), np.array(triples(given), float), [list(row) for row in triples(given)]):
        with pytest.raises(ValueError, match=both):
            losscorr.audit(answers=answers)
    item, rater, rating = zip(*triples(given))
    with pytest.raises(ValueError, match=both):
        losscorr.audit(answers={"item": item, "rater": rater, "rating": rating})
    with pytest.raises(ValueError, match="give task, worker and label, or a column per person"):
        losscorr.audit(answers={"task": item, "label": rating})
    with pytest.raises(ValueError, match="differ in length"):
        losscorr.audit(answers={"Ann": [1, 0], "Bob": [1]})
    with pytest.raises(ValueError, match="rows of equal length"):
        losscorr.audit(answers=[0, 1, 1])
    with pytest.raises(ValueError, match="needs a task and a worker"):
        losscorr.audit(answers=[(0, None, 1), (1, "Ann", 0)])


def test_many_classes_of_three_people_are_a_matrix(tmp_path):
    """Agreeing people repeat pairs of labels, even of a hundred classes."""
    many = rng.integers(0, 100, 400)
    matrix = np.where(rng.random((400, 3)) < 0.9, many[:, None], rng.integers(0, 100, (400, 3)))
    (_, path) = _answers.write(tmp_path, matrix)
    assert (np.load(path) == matrix).all()
