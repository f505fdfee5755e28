"""Argilla: records of its client, without a server, as JSON and back."""

import uuid

import pytest
from conftest import CLASSES, COUNT, GIVEN, TRUTH, WRONG, digest, run

argilla = pytest.importorskip("argilla")
io = pytest.importorskip("argilla.records._io")


def test_records(trip):
    people = [uuid.uuid4() for _ in range(3)]
    records = [
        argilla.Record(
            id=f"r{k}", fields={"text": f"téxt {k}"}, metadata={"part": k % 4}, vectors={"v": [0.5, k]},
            suggestions=[argilla.Suggestion("stars", 3, agent="m", score=0.5)],
            responses=[argilla.Response("kind", CLASSES[y], user_id=who) for who, y in zip(people, (TRUTH[k], TRUTH[k], GIVEN[k]))])
        for k in range(COUNT)
    ]
    path = trip.folder / "records.json"
    io.JsonIO.to_json(records, path)
    found = trip.audit(path, range(COUNT), "--text", "text")
    assert {int(i[1:]) for i in list(found)[: len(WRONG)]} == set(WRONG)
    same, _ = trip.export("same.json", "--decisions-only")
    assert digest(same) == digest(path)

    trip.decide(("r3", CLASSES[GIVEN[3]], CLASSES[TRUTH[3]]))
    out, counts = trip.export("audited.json")
    for k, record in enumerate(io.JsonIO._records_from_json(out)):
        suggestion = record.suggestions["kind"]
        assert suggestion.value == CLASSES[TRUTH[k]] and (suggestion.score < 0.5) == (k in WRONG and k != 3)
        assert (suggestion.type, suggestion.agent.split()[0]) == ("human" if k == 3 else "model", "losscorr")
        assert record.suggestions.api_models()
        del record.suggestions._suggestion_by_question_name["kind"]
        assert record.to_dict() == records[k].to_dict()

    run("audit", "--answers", path, "--out", trip.folder / "people", "--quiet")
    assert (trip.folder / "people" / "annotators.csv").read_text().count("\n") == 4
    trip.passed("argilla", "argilla", COUNT, "file", counts["corrections"], "Record.from_dict: suggestions, the rest unchanged (no server)")
