"""Hugging Face datasets: Parquet with images, and folders of images."""

import json

import pytest
from conftest import CLASSES, COUNT, GIVEN, TRUTH, WRONG

datasets = pytest.importorskip("datasets")


def labelled(trip):
    features = datasets.Features({"note": datasets.Value("string"), "image": datasets.Image(), "label": datasets.ClassLabel(names=CLASSES)})
    return datasets.Dataset.from_dict({"note": [f"n{k}" for k in range(COUNT)], "image": [str(p) for p in trip.photos()], "label": GIVEN}, features=features)


def loaded(trip, path):
    return datasets.load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(trip.folder / "cache"))


def test_parquet(trip):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    path = trip.folder / "animals.parquet"
    labelled(trip).to_parquet(str(path))
    found = trip.audit(path)
    assert {int(i) for i in list(found)[: len(WRONG)]} == set(WRONG)

    same, _ = trip.export("same.parquet", "--decisions-only")
    before, after = pyarrow.read_table(path), pyarrow.read_table(same)
    assert after.select(before.column_names).equals(before)
    assert after["label_corrected"].to_pylist() == before["label"].to_pylist()

    trip.decide(("3", CLASSES[GIVEN[3]], CLASSES[GIVEN[3]]))
    out, counts = trip.export("audited.parquet")
    audited = loaded(trip, out)
    assert audited.features["label_corrected"] == audited.features["label"] == datasets.ClassLabel(names=CLASSES)
    assert audited["label_corrected"] == [GIVEN[k] if k == 3 else TRUTH[k] for k in range(COUNT)]
    assert [k for k, p in enumerate(audited["p_wrong"]) if p > 0.5] == WRONG
    assert audited[5]["image"].getpixel((0, 0)) == (200 * TRUTH[5], 20, 90)
    trip.passed("datasets", "parquet", COUNT, "each column's data", counts["corrections"], "load_dataset: images, ClassLabel, p_wrong")


def test_shards(trip):
    """A data set in the layout of a hub: files for each split in data/."""
    pyarrow = pytest.importorskip("pyarrow.parquet")
    data = trip.folder / "hub" / "data"
    data.mkdir(parents=True)
    whole = labelled(trip)
    for k in range(2):
        whole.shard(2, k, contiguous=True).to_parquet(str(data / f"train-0000{k}-of-00002.parquet"))
    whole.select(range(10)).to_parquet(str(data / "test-00000-of-00001.parquet"))
    found = trip.audit(trip.folder / "hub")
    assert {int(i.removeprefix("train/")) for i in list(found)[: len(WRONG)]} == set(WRONG)

    same, _ = trip.export("same", "--decisions-only")
    for file in sorted(data.iterdir()):
        before, after = pyarrow.read_table(file), pyarrow.read_table(same / "data" / file.name)
        assert after.select(before.column_names).equals(before)

    out, counts = trip.export("audited")
    audited = datasets.load_dataset(str(out), cache_dir=str(trip.folder / "cache"))
    assert audited["train"].features["label_corrected"] == datasets.ClassLabel(names=CLASSES)
    assert audited["train"]["label_corrected"] == TRUTH
    assert [k for k, p in enumerate(audited["train"]["p_wrong"]) if p > 0.5] == WRONG
    assert audited["test"]["label_corrected"] == [None] * 10
    trip.passed("datasets", "folder of parquet", COUNT + 10, "each column's data", counts["corrections"], "load_dataset of the folder: both splits, ClassLabel, p_wrong")


def test_imagefolder(trip):
    trip.photos()
    (trip.folder / "images" / "metadata.jsonl").write_text(
        "".join(json.dumps({"file_name": f"{k:02d}.png", "label": CLASSES[GIVEN[k]]}) + "\n" for k in range(COUNT)), encoding="utf-8")
    found = trip.audit(trip.folder / "images")
    assert {int(i[:2]) for i in list(found)[: len(WRONG)]} == set(WRONG)
    corrected = trip.folder / "audit" / "labels_corrected.csv"
    (trip.folder / "images" / "metadata.jsonl").unlink()
    (trip.folder / "images" / "metadata.csv").write_text(corrected.read_text(encoding="utf-8").replace("id,label", "file_name,label", 1), encoding="utf-8")
    again = datasets.load_dataset("imagefolder", data_dir=str(trip.folder / "images"), split="train", cache_dir=str(trip.folder / "cache"))
    assert again["label"] == [CLASSES[y] for y in TRUTH]
    trip.passed("datasets", "folder with metadata", COUNT, "not written back", len(WRONG), "load_dataset(imagefolder) with labels_corrected.csv as metadata.csv")
