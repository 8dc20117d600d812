"""Makes the samples in this folder with the libraries whose logs marscope opens.

    pip install torch tensorboard tensorboardX transformers pillow
    python make.py

Made with torch 2.15, tensorboard 2.21, tensorboardX 2.6.5 and transformers 5.24. The event files hold the time and the
name of the machine that made them, so both are pinned: a second run gives the same bytes.
"""

import io
import json
import math
import pathlib
import shutil
import socket
import time

import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).parent
START = 1_700_000_000.0
clock = [START]
time.time = lambda: clock[0]
socket.gethostname = lambda: "sample"

from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2  # noqa: E402
from tensorboard.plugins.image import metadata as image_metadata  # noqa: E402
from tensorboard.plugins.scalar.summary_v2 import scalar_pb  # noqa: E402
from tensorboard.summary.writer.event_file_writer import EventFileWriter  # noqa: E402
from tensorboardX import SummaryWriter as WriterX  # noqa: E402
from torch.utils.tensorboard import SummaryWriter  # noqa: E402
from transformers import TrainerState  # noqa: E402

NAN, INF = float("nan"), float("inf")


def picture(step):
    """16 x 16, three channels, different at every step."""
    y, x = np.mgrid[0:16, 0:16]
    return np.stack([x * 16, y * 16, np.full_like(x, 40 * step)]).astype(np.uint8)


def keep(folder, name):
    """Moves the one event file of `folder` to a fixed name."""
    (made,) = folder.glob("events.out.tfevents.*")
    target = HERE / name
    target.parent.mkdir(exist_ok=True)
    shutil.move(made, target)
    shutil.rmtree(folder)


def torch_classic():
    """simple_value scalars with NaN and infinity, images, a histogram that marscope passes over."""
    clock[0] = START
    folder = HERE / "tmp"
    writer = SummaryWriter(folder)
    losses = [2.5, NAN, INF, -INF, 0.1]
    for step, loss in enumerate(losses):
        clock[0] = START + 2 * step + 0.5
        writer.add_scalar("train/loss", loss, step)
        writer.add_scalar("train/reward", 0.25 * step, step)
        if step % 2 == 0:
            writer.add_image("samples", picture(step), step)
    writer.add_histogram("weights", np.arange(4.0), 4)
    writer.close()
    keep(folder, "torch/events.out.tfevents.1700000000.sample.1.0")


def torch_new_style():
    """The same scalars as tensors of the `scalars` plugin, in single and in double precision."""
    clock[0] = START
    folder = HERE / "tmp"
    writer = SummaryWriter(folder)
    for step, loss in enumerate([2.5, NAN, INF, 0.1]):
        clock[0] = START + step
        writer.add_scalar("single", loss, step, new_style=True)
        writer.add_scalar("double", loss, step, new_style=True, double_precision=True)
    writer.close()
    keep(folder, "new_style/events.out.tfevents.1700000000.sample.2.0")


def png(step):
    buffer = io.BytesIO()
    Image.fromarray(picture(step).transpose(1, 2, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def tf2_layout():
    """What tf.summary.scalar and tf.summary.image write, by TensorBoard's own writer: tensors, with the plugin named
    only with the first value of a tag."""
    folder = HERE / "tmp"
    clock[0] = START
    writer = EventFileWriter(str(folder))
    for step in range(3):
        wall = START + 1 + step
        summary = scalar_pb("accuracy", 0.5 + 0.125 * step)
        images = summary.value.add(tag="drawn")
        images.metadata.CopyFrom(
            image_metadata.create_summary_metadata(display_name="", description="", converted_to_tensor=None)
        )
        shape = tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=4)])
        images.tensor.CopyFrom(
            tensor_pb2.TensorProto(
                dtype=types_pb2.DT_STRING,
                tensor_shape=shape,
                string_val=[b"16", b"16", png(step), png(step + 1)],
            )
        )
        if step > 0:
            for value in summary.value:
                value.ClearField("metadata")
        writer.add_event(event_pb2.Event(wall_time=wall, step=step, summary=summary))
    writer.close()
    keep(folder, "tf2/events.out.tfevents.1700000000.sample.3.v2")


def restarted():
    """tensorboardX; a run that crashed after step 4 and went on from step 3 in a second file."""
    for part, (begin, end) in enumerate([(0, 5), (3, 7)]):
        folder = HERE / "tmp"
        clock[0] = START + 100 * part
        writer = WriterX(str(folder))
        for step in range(begin, end):
            clock[0] = START + 100 * part + step
            writer.add_scalar("loss", 1.0 / (1 + step) + part, step)
        writer.close()
        keep(folder, f"restarted/events.out.tfevents.{int(START) + 100 * part}.sample")


def trainer_state():
    """A GRPO run as transformers' Trainer saves it, at two checkpoints."""
    rows = []
    for step in range(1, 7):
        rows.append({
            "completion_length": 120.5 + step, "epoch": step / 4, "grad_norm": NAN if step == 3 else 0.5 * step,
            "kl": INF if step == 4 else 0.001 * step, "learning_rate": 1e-06 * (7 - step), "loss": -INF if step == 5 else 0.1,
            "reward": 0.125 * step, "reward_std": 0.3, "rewards/format_reward": 1.0, "step": step,
        })
        if step % 3 == 0:
            rows.append({"epoch": step / 4, "eval_reward": 0.5, "eval_runtime": 1.5, "step": step})
    for upto in (3, 6):
        state = TrainerState(
            epoch=upto / 4, global_step=upto, max_steps=6, logging_steps=1, num_train_epochs=2,
            log_history=[row for row in rows if row["step"] <= upto],
        )
        folder = HERE / "trainer" / f"checkpoint-{upto}"
        folder.mkdir(parents=True, exist_ok=True)
        state.save_to_json(str(folder / "trainer_state.json"))


def json_lines():
    """Rows as W&B's history export and as plain loggers write them; not made by a library but by Python's json."""
    with open(HERE / "wandb.jsonl", "w") as file:
        for step in range(5):
            row = {
                "_step": 10 * step, "_timestamp": START + 3 * step, "_runtime": 3.0 * step, "loss": NAN if step == 2 else 1.5 - 0.25 * step,
                "note": "NaN is not a number, \"Infinity\" neither", "reward": {"mean": 0.5, "by": {"count": step}},
                "done": step == 4, "lengths": [1, 2, 3], "id": "12",
            }
            file.write(json.dumps(row) + "\n")
        file.write(json.dumps({"summary": -INF}) + "\n")
    with open(HERE / "epochs.jsonl", "w") as file:
        for epoch in range(3):
            file.write(json.dumps({"epoch": epoch, "train_loss": math.exp(-epoch), "lr": None}) + "\n")


if __name__ == "__main__":
    torch_classic()
    torch_new_style()
    tf2_layout()
    restarted()
    trainer_state()
    json_lines()
