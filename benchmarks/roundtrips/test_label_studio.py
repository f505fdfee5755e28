"""Label Studio: its SDK makes the tasks, then validates and converts the export."""

import csv
import json

import pytest
from conftest import CLASSES, COUNT, GIVEN, TRUTH, WRONG, digest

CONFIG = """<View><Text name="text" value="$text"/>
<Choices name="kind" toName="text"><Choice value="cat"/><Choice value="dog"/></Choices></View>"""


def export(trip, annotation):
    """Writes an export like Label Studio's, with annotations made by the SDK."""
    tasks = [
        {"id": 100 + k, "data": {"text": f"téxt {k}"}, "meta": {"z": 1.5}, "annotations": [
            {"id": 7, "created_at": "2026-01-01T00:00:00Z", **annotation(CLASSES[1 - GIVEN[k]]), "was_cancelled": True},
            {"id": 8, **annotation(CLASSES[GIVEN[k]])},
        ]}
        for k in range(COUNT)
    ]
    path = trip.folder / "project.json"
    path.write_text(json.dumps(tasks, indent=1), encoding="utf-8")
    return path


def there_and_back(trip, path):
    """Audits an export; returns the program's export with suggestions and one decision."""
    found = trip.audit(path, range(COUNT), "--text", "text")
    assert {int(i) - 100 for i in list(found)[: len(WRONG)]} == set(WRONG)
    same, _ = trip.export("same.json", "--decisions-only")
    assert digest(same) == digest(path)
    trip.decide(("103", CLASSES[GIVEN[3]], CLASSES[TRUTH[3]]))
    return trip.export("audited.json")


def test_sdk(trip):
    sdk = pytest.importorskip("label_studio_sdk.label_interface")
    objects = pytest.importorskip("label_studio_sdk.label_interface.objects")
    converter = pytest.importorskip("label_studio_sdk.converter")
    interface = sdk.LabelInterface(CONFIG)

    def annotation(choice):
        region = interface.get_control("kind").label(label=choice)
        return objects.AnnotationValue(completed_by=3, result=[region]).model_dump()

    out, counts = there_and_back(trip, export(trip, annotation))
    tasks = json.loads(out.read_text(encoding="utf-8"))
    for task in tasks:
        assert not interface.validate_prediction(task["predictions"][-1], return_errors=True)
        for a in task["annotations"]:
            assert interface.validate_annotation(a)
    worst = sorted(range(COUNT), key=lambda k: tasks[k]["predictions"][-1]["score"])[: len(WRONG)]
    assert set(worst) == set(WRONG)
    assert len(tasks[3]["annotations"]) == 3

    converter.Converter(CONFIG, str(trip.folder)).convert(str(out), str(trip.folder / "csv"), "CSV", is_dir=False)
    (table,) = (trip.folder / "csv").glob("*.csv")
    with open(table, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file)]
    last = {int(row["id"]): row["kind"] for row in rows}
    assert last[103] == CLASSES[TRUTH[3]] and last[113] == CLASSES[GIVEN[13]]
    trip.passed("label-studio-sdk", "label-studio", COUNT, "file", counts["corrections"], "LabelInterface validates tasks, predictions and annotations; Converter writes CSV")


def test_converter(trip):
    converter = pytest.importorskip("label_studio_converter")

    def annotation(choice):
        return {"completed_by": {"id": 3, "email": "a@b.c"}, "result": [
            {"from_name": "kind", "to_name": "text", "type": "choices", "value": {"choices": [choice]}}]}

    out, counts = there_and_back(trip, export(trip, annotation))
    converter.Converter(CONFIG, str(trip.folder)).convert(str(out), str(trip.folder / "min"), "JSON_MIN", is_dir=False)
    (table,) = (trip.folder / "min").glob("*.json")
    last = {row["id"]: row["kind"] for row in json.loads(table.read_text(encoding="utf-8"))}
    assert last[103] == CLASSES[TRUTH[3]] and last[113] == CLASSES[GIVEN[13]]
    trip.passed("label-studio-converter", "label-studio", COUNT, "file", counts["corrections"], "Converter writes JSON_MIN")
