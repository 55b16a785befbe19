#!/usr/bin/python3
"""A training job with a real PyTorch DataLoader; its accelerator is a sleep, as in tests/validation/dataloader.

It knows nothing of stallcast. Each batch's time goes to --times, so that its pace is known afterwards; on standard
output it writes a line a second, as progress bars do.
"""

import argparse
import io
import os
import random
import tarfile
import time

import numpy
import torch
import torch.utils.data
from PIL import Image


def image(data):
    with Image.open(io.BytesIO(data)) as picture:
        picture = picture.convert("RGB").resize((224, 224))
    return torch.from_numpy(numpy.array(picture))


class Jpegs(torch.utils.data.Dataset):
    """A file for each sample. `ready` are the same pictures decoded, as raw files."""

    def __init__(self, folder, ready, slow_one_in):
        self.names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        self.ready, self.slow_one_in = ready, slow_one_in

    def __len__(self):
        return 10**7

    def __getitem__(self, index):
        luck = random.Random(index)
        if self.slow_one_in and luck.randrange(self.slow_one_in) == 0:
            time.sleep(1.0)  # a sample that has to be fetched again
        name = luck.choice(self.names)
        with open(name, "rb") as file:
            data = file.read()
        if self.ready:
            return torch.frombuffer(bytearray(data), dtype=torch.uint8)
        return image(data)


class Npzs(Jpegs):
    def __getitem__(self, index):
        name = random.Random(index).choice(self.names)
        if self.ready:
            return torch.from_numpy(numpy.load(name))
        with numpy.load(name) as arrays:
            return torch.from_numpy(arrays["x"])


class OneFile(torch.utils.data.Dataset):
    """Records of a large file, each read at its place; `spread` is of a wait before some of them, in s."""

    def __init__(self, folder, record, spread, uncached):
        self.name = os.path.join(folder, "records.bin")
        self.record, self.spread, self.uncached = record, spread, uncached
        self.records = os.path.getsize(self.name) // record
        self.file = None

    def __len__(self):
        return 10**7

    def __getitem__(self, index):
        if self.file is None:
            self.file = os.open(self.name, os.O_RDONLY)
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_RANDOM)
        luck = random.Random(index)
        if self.spread:
            time.sleep(luck.gammavariate(0.05, self.spread / 0.05))
        place = luck.randrange(self.records) * self.record
        data = os.pread(self.file, self.record, place)
        if self.uncached:
            os.posix_fadvise(self.file, place, self.record, os.POSIX_FADV_DONTNEED)
        return torch.frombuffer(bytearray(data), dtype=torch.uint8)


class Tars(torch.utils.data.IterableDataset):
    """Shards read from front to back, each by one worker."""

    def __init__(self, folder):
        self.names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        mine = self.names if worker is None else self.names[worker.id :: worker.num_workers]
        while True:
            for name in mine:
                with open(name, "rb") as file, tarfile.open(fileobj=file, mode="r|") as shard:
                    for member in shard:
                        yield image(shard.extractfile(member).read())


def dataset(given):
    if given.data == "jpeg":
        return Jpegs(given.folder, given.ready, given.slow_one_in)
    if given.data == "npz":
        return Npzs(given.folder, given.ready, 0)
    if given.data == "tar":
        return Tars(given.folder)
    return OneFile(given.folder, given.record, given.spread, given.uncached)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", choices=["jpeg", "npz", "tar", "onefile"])
    parser.add_argument("folder")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--prefetch", type=int, default=2)
    parser.add_argument("--step", type=float, default=0.05)
    parser.add_argument("--ready", action="store_true")
    parser.add_argument("--slow-one-in", type=int, default=0)
    parser.add_argument("--record", type=int, default=200000)
    parser.add_argument("--spread", type=float, default=0.0)
    parser.add_argument("--uncached", action="store_true")
    parser.add_argument("--any-order", action="store_true", help="in_order=False of PyTorch 2.6 and later")
    parser.add_argument("--times")
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    more = {"prefetch_factor": given.prefetch} if given.workers else {}
    more |= {"in_order": False} if given.any_order else {}
    loader = torch.utils.data.DataLoader(
        dataset(given), batch_size=given.batch, num_workers=given.workers, **more
    )
    start = told = time.monotonic()
    since = 0
    with open(given.times, "w", buffering=1) as times:
        for number, _ in enumerate(loader):
            time.sleep(given.step)
            now = time.monotonic()
            times.write(f"{now:.6f}\n")
            since += 1
            if now - told > 1.0:
                print(f"step {number}: {since / (now - told):.3f}it/s", flush=True)
                told, since = now, 0
            if now - start > given.seconds:
                break
    os._exit(0)  # workers that wait for a slow source would be waited for


if __name__ == "__main__":
    main()
