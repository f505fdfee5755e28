"""FiftyOne: its exporters write, and its importers read, each format of boxes without a database."""

import pytest
from conftest import CLASSES, COUNT, GIVEN, TRUTH, WRONG, digest

fiftyone = pytest.importorskip("fiftyone")
metadata = pytest.importorskip("fiftyone.core.metadata")
coco = pytest.importorskip("fiftyone.utils.coco")
cvat = pytest.importorskip("fiftyone.utils.cvat")
voc = pytest.importorskip("fiftyone.utils.voc")
yolo = pytest.importorskip("fiftyone.utils.yolo")

# form, exporter, importer, audited file
FORMS = {
    "coco": (lambda d: coco.COCODetectionDatasetExporter(d, classes=CLASSES), coco.COCODetectionDatasetImporter, "labels.json"),
    "cvat": (cvat.CVATImageDatasetExporter, cvat.CVATImageDatasetImporter, "labels.xml"),
    "voc": (voc.VOCDetectionDatasetExporter, voc.VOCDetectionDatasetImporter, ""),
    "yolo": (lambda d: yolo.YOLOv5DatasetExporter(d, split="train", classes=CLASSES), lambda dataset_dir: yolo.YOLOv5DatasetImporter(dataset_dir, split="train"), "dataset.yaml"),
}


def labels_of(importer):
    """Returns the class of each image's one box, and the box, by the number in the image's name."""
    found = {}
    with importer:
        for path, _, label in importer:
            if isinstance(label, dict):
                (label,) = [v for v in label.values() if v is not None]
            (label,) = label.detections
            found[int(path.rsplit("/", 1)[1][:2])] = (label.label, label.bounding_box)
    return found


@pytest.mark.parametrize("form", FORMS)
def test_form(trip, form):
    exporter, importer, name = FORMS[form]
    work = trip.folder / "made"
    with exporter(str(work)) as made:
        for k, path in enumerate(trip.photos()):
            box = fiftyone.Detection(label=CLASSES[GIVEN[k]], bounding_box=[0.125, 0.25, 0.5, 0.5])
            label = fiftyone.Detections(detections=[box])
            made.export_sample(str(path), label, metadata=metadata.ImageMetadata.build_for(str(path)))
    before = labels_of(importer(dataset_dir=str(work)))

    names = list(trip.audit(work / name))
    assert {int(i.rsplit("/", 1)[-1][:2]) for i in names[: len(WRONG)]} == set(WRONG)
    (third,) = [i for i in names if i.rsplit("/", 1)[-1].startswith("03.")]

    same, _ = trip.export("same", "--decisions-only")
    audited = digest(work / name)
    written = digest(same)
    if isinstance(written, dict):
        assert written and written.items() <= audited.items() if form == "voc" else digest(work).items() >= written.items()
    else:
        assert written == audited

    trip.decide((third, CLASSES[GIVEN[3]], CLASSES[GIVEN[3]]))
    out, counts = trip.export("out", "--to", form)
    if out.is_file():
        (work / name).write_bytes(out.read_bytes())
    else:
        for path in out.rglob("*.*"):
            (work / path.relative_to(out)).write_bytes(path.read_bytes())
    after = labels_of(importer(dataset_dir=str(work)))
    assert {k: label for k, (label, _) in after.items()} == {k: CLASSES[GIVEN[k] if k == 3 else TRUTH[k]] for k in range(COUNT)}
    assert {k: box for k, (_, box) in after.items()} == {k: box for k, (_, box) in before.items()}
    trip.passed("fiftyone", form, COUNT, "files", counts["corrections"], importer.__name__ if form != "yolo" else "YOLOv5DatasetImporter")
