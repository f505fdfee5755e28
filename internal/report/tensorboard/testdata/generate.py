"""Writes golden.tfevents with the protocol buffers and the record writer of tensorboard 2.21.0: python3 generate.py"""

import math
import pathlib

from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

START = 1_767_323_045.25  # 2026-01-02T03:04:05.25Z

out = open(pathlib.Path(__file__).parent / "golden.tfevents", "wb")
records = RecordWriter(out)
records.write(event_pb2.Event(wall_time=START, file_version="brain.Event:2").SerializeToString())
for step, values in (
    (1, {"train/loss": 0.5, "test/accuracy": 97.25}),
    (300, {"train/loss": math.inf, "test/accuracy": -1e-9}),
):
    summary = summary_pb2.Summary()
    for tag, value in values.items():
        v = summary.value.add(tag=tag, simple_value=value)
        v.metadata.plugin_data.plugin_name = "scalars"
    records.write(event_pb2.Event(wall_time=START + step, step=step, summary=summary).SerializeToString())
out.close()
