#!/usr/bin/env python3
"""Twelve datasets of the kinds that people train on, and whether the loader that `stallcast.torch.suggest` chooses for
each reaches the best that any number of workers does on this machine.

    suggest_datasets.py [--only NAME]... [--seconds S] -o results.jsonl

Each is measured with 0 to 16 workers, in rounds so that a slow moment of the machine does not meet one setting alone.
A line of the results: the name, what was chosen, the rate of each setting, and the share of the best that was reached.
"""

import argparse
import http.server
import io
import json
import multiprocessing
import os
import statistics
import sys
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy
import torch
from PIL import Image
from torch.utils.data import Dataset, IterableDataset, get_worker_info

from stallcast import torch as suggesting

WORKERS = [0, 1, 2, 3, 4, 6, 8, 12, 16]


def photograph(rng, size):
    """Smooth shapes with noise: compresses about as a photograph does."""
    coarse = rng.integers(0, 256, (size // 16, size // 16, 3), dtype=numpy.uint8)
    image = numpy.asarray(Image.fromarray(coarse).resize((size, size), Image.BICUBIC)).astype(numpy.int16)
    return Image.fromarray(numpy.clip(image + rng.integers(-12, 13, image.shape), 0, 255).astype(numpy.uint8))


def drop_from_cache(file):
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class FileDataset(Dataset):
    """Files NNN.SUFFIX made by `make(rng)` as bytes; a sample is what `load(bytes)` makes of one."""

    suffix, files, cold = "bin", 64, False

    def __init__(self, folder):
        self.folder = Path(folder) / type(self).__name__
        self.folder.mkdir(exist_ok=True)
        rng = numpy.random.default_rng(7)
        for i in range(self.files):
            with open(self.path(i), "wb") as file:
                file.write(self.make(rng))
                file.flush()
                os.fsync(file.fileno())
                drop_from_cache(file)

    def path(self, index):
        return self.folder / f"{index:03}.{self.suffix}"

    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        with open(self.path(index % self.files), "rb") as file:
            data = file.read()
            if self.cold:
                drop_from_cache(file)
        return self.load(data)


class SmallJpeg(FileDataset):
    suffix, size = "jpg", 256

    def make(self, rng):
        out = io.BytesIO()
        photograph(rng, self.size).save(out, "JPEG", quality=85)
        return out.getvalue()

    def load(self, data):
        image = Image.open(io.BytesIO(data)).convert("RGB").crop((16, 16, 240, 240))
        return torch.from_numpy(numpy.array(image)).permute(2, 0, 1)


class LargeJpeg(SmallJpeg):
    """Decoded whole, then made small: what ImageNet training does with a photograph."""

    size, files = 1024, 24

    def load(self, data):
        image = Image.open(io.BytesIO(data)).convert("RGB").resize((224, 224), Image.BILINEAR)
        return torch.from_numpy(numpy.array(image)).permute(2, 0, 1).float() / 255.0


class ColdJpeg(SmallJpeg):
    cold = True


class Png(FileDataset):
    suffix = "png"

    def make(self, rng):
        out = io.BytesIO()
        photograph(rng, 256).save(out, "PNG")
        return out.getvalue()

    def load(self, data):
        return torch.from_numpy(numpy.array(Image.open(io.BytesIO(data)))).permute(2, 0, 1)


class AugmentedPng(Png):
    def load(self, data):
        image = super().load(data).float() / 255.0
        if torch.rand(()) < 0.5:
            image = image.flip(2)
        image = torch.nn.functional.interpolate(image[None], scale_factor=0.875, mode="bilinear", align_corners=False)[0]
        return (image - 0.45) / 0.22


class Npz(FileDataset):
    suffix, files = "npz", 32

    def make(self, rng):
        out = io.BytesIO()
        numpy.savez_compressed(out, x=rng.normal(size=(64, 64, 16)).round(1).astype(numpy.float32))
        return out.getvalue()

    def load(self, data):
        return torch.from_numpy(numpy.load(io.BytesIO(data))["x"])


class Npy(FileDataset):
    """Not compressed: reading is all there is."""

    suffix, files, cold = "npy", 48, True

    def make(self, rng):
        out = io.BytesIO()
        numpy.save(out, rng.normal(size=(512, 512)).astype(numpy.float32))
        return out.getvalue()

    def load(self, data):
        return torch.from_numpy(numpy.load(io.BytesIO(data)))


class Volumes(FileDataset):
    """Large files that are read from the device each time."""

    suffix, files, cold = "raw", 12, True

    def make(self, rng):
        return rng.bytes(8 << 20)

    def load(self, data):
        return torch.frombuffer(bytearray(data), dtype=torch.uint8)[:: 64].clone()


class TarShards(IterableDataset):
    """JPEG in tar files, one after the other, the shards spread over the workers."""

    shards = 16

    def __init__(self, folder):
        self.folder = Path(folder) / "TarShards"
        self.folder.mkdir(exist_ok=True)
        source = SmallJpeg(folder)
        for shard in range(self.shards):
            with tarfile.open(self.folder / f"{shard:02}.tar", "w") as archive:
                for i in range(32):
                    archive.add(source.path((shard * 32 + i) % source.files), f"{i:03}.jpg")
        self._load = source.load

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        while True:
            for shard in range(first % self.shards, self.shards, step):
                with tarfile.open(self.folder / f"{shard:02}.tar") as archive:
                    for member in archive:
                        yield self._load(archive.extractfile(member).read())


class Tokens(Dataset):
    """Windows of a file of tokens that is mapped into memory."""

    def __init__(self, folder):
        path = Path(folder) / "tokens.bin"
        if not path.exists():
            numpy.random.default_rng(7).integers(0, 50000, 1 << 24, dtype=numpy.uint16).tofile(path)
        self.tokens = numpy.memmap(path, dtype=numpy.uint16, mode="r")

    def __len__(self):
        return len(self.tokens) - 2049

    def __getitem__(self, index):
        window = torch.from_numpy(self.tokens[index : index + 2049].astype(numpy.int64))
        return window[:-1], window[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    """An object store a few milliseconds away."""

    protocol_version = "HTTP/1.1"
    body = os.urandom(100_000)

    def do_GET(self):
        time.sleep(self.server.delay_s)
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


def serve(delay_s, port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.delay_s = delay_s
    port.value = server.server_port
    server.serve_forever()


class Objects(Dataset):
    """Objects of 100 kB over HTTP, a connection each: waiting is all there is."""

    delay_s = 0.02

    def __init__(self, folder):
        port = multiprocessing.Value("i", 0)
        self.server = multiprocessing.Process(target=serve, args=(self.delay_s, port), daemon=True)
        self.server.start()
        while port.value == 0:
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{port.value}/"

    def __getstate__(self):
        return {"url": self.url}

    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        with urllib.request.urlopen(f"{self.url}{index}") as answer:
            return torch.frombuffer(bytearray(answer.read()), dtype=torch.uint8)


class FarObjects(Objects):
    delay_s = 0.08


# name: dataset, batch size, step time in seconds (0: the loader is all that counts)
CASES = {
    "jpeg": (SmallJpeg, 32, 0.0),
    "jpeg_step": (SmallJpeg, 32, 0.06),
    "jpeg_large": (LargeJpeg, 8, 0.0),
    "jpeg_cold": (ColdJpeg, 32, 0.0),
    "png": (Png, 32, 0.0),
    "png_augmented": (AugmentedPng, 16, 0.1),
    "npz": (Npz, 16, 0.0),
    "npy_cold": (Npy, 8, 0.02),
    "volumes_cold": (Volumes, 2, 0.0),
    "tar_shards": (TarShards, 32, 0.0),
    "tokens": (Tokens, 16, 0.02),
    "objects": (Objects, 16, 0.05),
    "objects_far": (FarObjects, 16, 0.05),
}
CASES.pop("jpeg_step")  # twelve; kept at hand for who has a faster machine


def best_of(dataset, batch, step_s, chosen, seconds):
    """Samples per second by number of workers, and of the chosen setting, each the mean over two rounds."""
    bench = suggesting._Bench(dataset, batch, None, step_s)
    settings = list(dict.fromkeys([(workers, 2) for workers in WORKERS] + [chosen]))
    rates = {one: [] for one in settings}
    for _ in range(2):
        for one in settings:
            rates[one].append(bench._rate(*one, seconds))
    return {one: statistics.mean(found) for one, found in rates.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=sorted(CASES))
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement of one setting")
    parser.add_argument("--suggest-seconds", type=float, default=24.0)
    parser.add_argument("-o", "--output", required=True)
    given = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only or CASES:
            make, batch, step_s = CASES[name]
            dataset = make(folder)
            found = suggesting.suggest(dataset, step_time=step_s, batch_size=batch, seconds=given.suggest_seconds)
            chosen = (found.arguments["num_workers"], found.arguments["prefetch_factor"] or 2)
            rates = best_of(dataset, batch, step_s, chosen, given.seconds)
            most = max(rates.values())
            line = {"dataset": name, "batch_size": batch, "step_s": step_s, "cores": os.cpu_count(),
                    "chosen": found.arguments, "reached": rates[chosen] / most,
                    "best": list(max(rates, key=rates.get)),
                    "samples_per_s": {f"{w} workers, {p} ahead": round(rate, 2) for (w, p), rate in rates.items()},
                    "predicted": {f"{one.num_workers} workers, {one.prefetch_factor} ahead":
                                  round(one.predicted_samples_per_s, 2) for one in found.tried}}  # fmt: skip
            with open(given.output, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(f"{name:14} {chosen}: {100 * line['reached']:5.1f} % of the best {line['best']}", flush=True)
            if hasattr(dataset, "server"):
                dataset.server.terminate()


if __name__ == "__main__":
    sys.exit(main())
