"""pycocotools: boxes of a COCO file."""

import json

import pytest
from conftest import COUNT, GIVEN, TRUTH, WRONG, digest

pycocotools = pytest.importorskip("pycocotools.coco")


def test_coco(trip):
    trip.photos()
    data = {
        "images": [{"id": k, "file_name": f"{k:02d}.png", "width": 16, "height": 16} for k in range(COUNT)],
        "annotations": [{"id": k + 1, "image_id": k, "category_id": 5 + GIVEN[k], "bbox": [1, 1, 8, 8.5], "area": 68.0, "iscrowd": 0} for k in range(COUNT)],
        "categories": [{"id": 5, "name": "cat"}, {"id": 6, "name": "dog"}],
    }
    path = trip.folder / "instances.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    path.write_text(json.dumps(pycocotools.COCO(str(path)).dataset), encoding="utf-8")
    found = trip.audit(path)
    assert {int(i[:2]) for i in list(found)[: len(WRONG)]} == set(WRONG)
    same, _ = trip.export("same.json", "--decisions-only")
    assert digest(same) == digest(path)
    trip.decide(("03.png#4", ["cat", "dog"][GIVEN[3]], ["cat", "dog"][GIVEN[3]]))
    out, counts = trip.export("corrected.json")
    coco = pycocotools.COCO(str(out))
    assert [coco.anns[k + 1]["category_id"] - 5 for k in range(COUNT)] == [GIVEN[k] if k == 3 else TRUTH[k] for k in range(COUNT)]
    assert coco.getAnnIds(catIds=[5]) == [k + 1 for k in range(COUNT) if (GIVEN[k] if k == 3 else TRUTH[k]) == 0]
    assert all(coco.anns[a["id"]]["bbox"] == a["bbox"] for a in data["annotations"])
    trip.passed("pycocotools", "coco", COUNT, "file", counts["corrections"], "COCO: classes, boxes")
