"""Label Studio on its own server and database: a project's export is audited and imported again."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from conftest import CLASSES, COUNT, GIVEN, TRUTH, WRONG, digest
from test_label_studio import CONFIG

pytest.importorskip("label_studio")
sdk = pytest.importorskip("label_studio_sdk")

TOKEN = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def studio(tmp_path):
    """Returns a client of a server that runs until the end of the test."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, "LABEL_STUDIO_BASE_DATA_DIR": str(tmp_path / "studio"), "HOME": str(tmp_path), "COLLECT_ANALYTICS": "false",
           "LATEST_VERSION_CHECK": "false", "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true"}
    with open(tmp_path / "server.log", "w") as log:
        server = subprocess.Popen(
            [str(Path(sys.executable).with_name("label-studio")), "start", "--no-browser", "--port", str(port), "--internal-host", "127.0.0.1",
             "--username", "a@b.org", "--password", "of-this-test-alone", "--user-token", TOKEN], env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                urllib.request.urlopen(address + "/health", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, (tmp_path / "server.log").read_text()
                time.sleep(1)
        yield sdk.LabelStudio(base_url=address, api_key=TOKEN)
    finally:
        server.terminate()
        server.wait(30)


def exported(studio, project, path):
    """Writes the JSON export of a project."""
    path.write_bytes(b"".join(studio.projects.exports.download_sync(project.id, export_type="JSON", download_all_tasks=True)))
    return path


def test_server(trip, studio):
    first = studio.projects.create(title="first", label_config=CONFIG)
    result = lambda k: [{"from_name": "kind", "to_name": "text", "type": "choices", "value": {"choices": [CLASSES[k]]}}]
    studio.projects.import_tasks(first.id, request=[{"data": {"text": f"téxt {k}"}, "annotations": [{"result": result(GIVEN[k])}]} for k in range(COUNT)])
    path = exported(studio, first, trip.folder / "project.json")
    tasks = json.loads(path.read_text(encoding="utf-8"))
    assert len(tasks) == COUNT
    order = [int(task["data"]["text"].split()[1]) for task in tasks]
    text = {str(task["id"]): k for task, k in zip(tasks, order)}
    found = trip.audit(path, order, "--text", "text")
    assert {text[i] for i in list(found)[: len(WRONG)]} == set(WRONG)
    same, _ = trip.export("same.json", "--decisions-only")
    assert digest(same) == digest(path)

    third = next(i for i, k in text.items() if k == 3)
    trip.decide((third, CLASSES[GIVEN[3]], CLASSES[TRUTH[3]]))
    out, counts = trip.export("audited.json")
    second = studio.projects.create(title="second", label_config=CONFIG)
    studio.projects.import_tasks(second.id, request=json.loads(out.read_text(encoding="utf-8")))
    again = json.loads(exported(studio, second, trip.folder / "again.json").read_text(encoding="utf-8"))
    assert len(again) == COUNT
    scores = {}
    for task in again:
        k = int(task["data"]["text"].split()[1])
        choices = [a["result"][0]["value"]["choices"][0] for a in task["annotations"]]
        assert choices == [CLASSES[GIVEN[k]]] + ([CLASSES[TRUTH[k]]] if k == 3 else [])
        (prediction,) = studio.predictions.list(task=task["id"])
        assert prediction.result[0]["value"]["choices"] == [CLASSES[TRUTH[k]]] and prediction.model_version.startswith("losscorr ")
        scores[k] = prediction.score
    assert set(sorted(scores, key=scores.get)[: len(WRONG)]) == set(WRONG)
    trip.passed("label-studio", "label-studio", COUNT, "file", counts["corrections"], "imported into a project: annotations, predictions, scores")
