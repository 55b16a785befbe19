#!/usr/bin/env python3
"""Trains an image classifier from a folder of JPEG files for some seconds, recorded by stallcast's recorder.

    train.py --data DIR --out RUN.jsonl [--model resnet50] [--batch 256] [--workers 4] [--seconds 12] [--measure]

The loop is that of torchvision's reference script: files opened with Pillow, RandomResizedCrop and flip in the worker
processes, pinned batches, copies that do not wait, mixed precision, SGD. Nothing in it is emulated: where PyTorch sees
a GPU, its own clock times each step. DIR is filled with pictures on first use.
"""

import argparse
import io
import multiprocessing
import os
import sys
import time

import numpy
import torch
import torch.utils.data
import torchvision
from PIL import Image

sys.path.insert(0, os.environ.get("STALLCAST_RECORDER") or os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                                        "..", "..", "..", "scripts"))
import stallcast_recorder  # noqa: E402

PICTURES = 4000


def make_picture(job):
    """A picture of 500 x 375, to a decoder like a photograph: smooth, with some noise; about 65 kB."""
    path, seed = job
    random_numbers = numpy.random.default_rng(seed)
    small = Image.fromarray(random_numbers.integers(0, 255, (24, 32, 3), dtype=numpy.uint8))
    pixels = numpy.asarray(small.resize((500, 375), Image.BICUBIC)).astype(numpy.int16)
    pixels = numpy.clip(pixels + random_numbers.integers(-12, 12, pixels.shape), 0, 255).astype(numpy.uint8)
    Image.fromarray(pixels).save(path, quality=90)


def make_pictures(folder):
    os.makedirs(folder, exist_ok=True)
    jobs = [(os.path.join(folder, "%05d.jpg" % i), i) for i in range(PICTURES)]
    jobs = [job for job in jobs if not os.path.exists(job[0])]
    if jobs:
        with multiprocessing.get_context("fork").Pool() as pool:
            pool.map(make_picture, jobs, chunksize=50)


class Pictures(torch.utils.data.Dataset):
    def __init__(self, folder):
        self.names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        to = torchvision.transforms
        self.transform = to.Compose([
            to.RandomResizedCrop(224), to.RandomHorizontalFlip(), to.ToTensor(),
            to.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])

    def __len__(self):
        return 10**6  # no epoch ends during a run

    def __getitem__(self, index):
        with stallcast_recorder.read() as part:
            with open(self.names[index % len(self.names)], "rb") as file:
                data = file.read()
            part.bytes = len(data)
        with stallcast_recorder.decode():
            with Image.open(io.BytesIO(data)) as picture:
                return self.transform(picture.convert("RGB")), index % 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--prefetch", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--measure", action="store_true", help="measure the loader's own cost beforehand")
    given = parser.parse_args()
    make_pictures(given.data)
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = getattr(torchvision.models, given.model)().to(device, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loss_of = torch.nn.CrossEntropyLoss()

    def step(images, labels):
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = loss_of(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    shape = (given.batch, 3, 224, 224)
    for _ in range(5):  # kernels are chosen, memory is allocated
        step(torch.rand(shape, device=device).contiguous(memory_format=torch.channels_last),
             torch.randint(0, 1000, (given.batch,), device=device))
    if device.type == "cuda":
        torch.cuda.synchronize()

    more = {"prefetch_factor": given.prefetch} if given.workers else {}
    loader = torch.utils.data.DataLoader(Pictures(given.data), batch_size=given.batch, shuffle=True, drop_last=True,
                                         num_workers=given.workers, pin_memory=device.type == "cuda", **more)
    with stallcast_recorder.Recorder(given.out) as recorder:
        begin = None
        for images, labels in recorder.watch(loader, measure=given.measure):
            begin = begin or time.monotonic()
            with recorder.copy(images.numel() * images.element_size()):
                images = images.to(device, non_blocking=True).contiguous(memory_format=torch.channels_last)
                labels = labels.to(device, non_blocking=True)
            step(images, labels)
            if time.monotonic() - begin > given.seconds:
                break
    print("%s %s, %d workers: done" % (device.type, given.model, given.workers), flush=True)
    os._exit(0)  # workers hold batches that nobody wants any more


if __name__ == "__main__":
    main()
