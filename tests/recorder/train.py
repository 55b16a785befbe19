#!/usr/bin/env python3
"""A small real training loop: files read from disk, inflated, summed up; the accelerator is a sleep.

    train.py --data DIR --out run.jsonl --workers 1 [--prefetch 2] [--step 0.02] [--steps 200] ...

DIR is filled on first use with deflated files of 20 to 80 KB, which a reader drops from the page cache again.
"""

import argparse
import os
import sys
import time
import zlib

import torch
import torch.utils.data

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import stallcast_recorder  # noqa: E402

FILES = 400


def make_files(folder):
    """Half noise, half words: inflating one takes some 0.2 ms."""
    os.makedirs(folder, exist_ok=True)
    for i in range(FILES):
        path = os.path.join(folder, "%04d.z" % i)
        if not os.path.exists(path):
            size = 20000 + (i * 7919) % 60000
            with open(path, "wb") as file:
                file.write(zlib.compress(os.urandom(size) + b"some words, again and again " * (size // 4), 1))
                file.flush()
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Files(torch.utils.data.Dataset):
    def __init__(self, folder, samples, inflate, marked):
        self.folder, self.samples, self.inflate, self.marked = folder, samples, inflate, marked

    def __len__(self):
        return self.samples

    def load(self, index):
        file = os.open(os.path.join(self.folder, "%04d.z" % (index * 37 % FILES)), os.O_RDONLY)
        try:
            data = os.read(file, 1 << 20)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(file)
        return data

    def unpack(self, data):
        for _ in range(self.inflate):
            raw = zlib.decompress(data)
        return torch.tensor(bytearray(raw[:4096]), dtype=torch.uint8), len(raw)

    def __getitem__(self, index):
        if not self.marked:
            return self.unpack(self.load(index))
        with stallcast_recorder.read() as part:
            data = self.load(index)
            part.bytes = len(data)
        with stallcast_recorder.decode():
            return self.unpack(data)


def take_cores(priority=2):
    """Real-time scheduling where it is allowed: other programs then do not delay this one. True when granted."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(priority))
    except (AttributeError, PermissionError):
        return False
    return True


def give_way(_worker):
    """A worker does not keep the trainer from its core: an accelerator's step does not wait for one to end."""
    if os.sched_getscheduler(0) == os.SCHED_RR:
        take_cores(priority=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", default="")
    parser.add_argument("--name", default=None)
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--prefetch", type=int, default=2)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--step", type=float, default=0.02)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--inflate", type=int, default=2)
    parser.add_argument("--start-method", default="fork")
    parser.add_argument("--unmarked", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--take-cores", action="store_true")
    parser.add_argument("--flush", type=float, default=10.0)
    args = parser.parse_args()
    make_files(args.data)
    if args.take_cores:
        take_cores()
    workers = {}
    if args.workers:
        workers = {"prefetch_factor": args.prefetch, "multiprocessing_context": args.start_method,
                   "worker_init_fn": give_way}
    loader = torch.utils.data.DataLoader(Files(args.data, args.steps * args.batch, args.inflate, not args.unmarked),
                                         batch_size=args.batch, num_workers=args.workers, **workers)
    if args.out:
        recorder = stallcast_recorder.Recorder(args.out, name=args.name, repeat=args.repeat, flush_s=args.flush)
        loader = recorder.watch(loader, measure=args.measure)
    start = time.perf_counter()
    for _ in range(args.epochs):
        for _ in loader:
            time.sleep(args.step)
    print("%.6f" % (time.perf_counter() - start))


if __name__ == "__main__":
    main()
