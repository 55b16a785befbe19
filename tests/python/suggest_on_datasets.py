#!/usr/bin/env python3
"""Twelve datasets of the kinds that people train on, and whether the workers that `stallcast.torch.suggest` chooses for
each reach the best that any number of workers does on this machine. It measures times, so it is run by hand, for half
an hour, with a Python that has torch, NumPy and Pillow:

    PYTHONPATH=build/release/python /usr/bin/python3 tests/python/suggest_on_datasets.py -o measured.json

For each dataset `suggest` is asked once. Then every candidate, the chosen one among them, is measured in turns for
several rounds, by a loop of its own that shares nothing with what `suggest` measures with; the rate of a setting is the
median over the rounds, each relative to the middle of its settings. The chosen one and those within a tenth of the best
then go through more and longer rounds: the best of nine that are equally good is otherwise the luckiest, and seconds of
this kind of work differ by as much as the settings do. Nothing begins while other programs use more than a
tenth of the cores (--others), and what they disturbed more than that is done again, whatever it gave. The data are made
in a temporary folder, the same on every machine, and removed at the end.
"""

import argparse
import datetime
import http.server
import io
import json
import multiprocessing
import os
import platform
import random
import statistics
import sys
import tarfile
import tempfile
import time
import urllib.request
import warnings
from pathlib import Path

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, get_worker_info

import stallcast.torch

WORKERS = [0, 1, 2, 3, 4, 8, 16, 32]
REACHED = 0.95  # of the best measured rate
WARM_UP = 0.3  # of the time of a measurement, before it
NEAR_BEST = 0.9  # of the best rate: worth more rounds
MOST_REPEATS = 4  # of what was disturbed; then it is taken as it is, and the results say how much it was


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
    body = random.Random(7).randbytes(100_000)

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


class Table(Dataset):
    """Rows of 32 numbers: hardly any work, so that workers cost more than they bring."""

    def __init__(self, folder):
        self.rows = torch.from_numpy(numpy.random.default_rng(7).normal(size=(100_000, 32)).astype(numpy.float32))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


# name: dataset, batch size, step time in seconds (0: the loader is all that counts), what holds it back
CASES = {
    "jpeg": (SmallJpeg, 32, 0.0, "processor"),
    "jpeg_large": (LargeJpeg, 8, 0.0, "processor"),
    "jpeg_cold": (ColdJpeg, 32, 0.0, "processor and device"),
    "png_augmented": (AugmentedPng, 16, 0.1, "processor, step"),
    "npz": (Npz, 16, 0.0, "processor"),
    "npy_cold": (Npy, 8, 0.02, "device, step"),
    "volumes_cold": (Volumes, 2, 0.0, "device"),
    "tar_shards": (TarShards, 32, 0.0, "processor"),
    "tokens": (Tokens, 16, 0.0, "the loader itself"),
    "table": (Table, 16, 0.0, "the loader itself"),
    "objects": (Objects, 16, 0.05, "waiting, step"),
    "objects_far": (FarObjects, 16, 0.05, "waiting, step"),
}


def processor_s(pid):
    """Of one process and those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(fields[at]) for at in (11, 12, 13, 14)) / os.sysconf("SC_CLK_TCK")


class Others:
    """What other programs than this one and its children take of the cores. `servers` are children that stay."""

    def __init__(self, servers=()):
        self.pids = [os.getpid(), *servers]
        self.cores = os.cpu_count()
        self.began = self.now()

    def now(self):
        user, nice, system, _, _, irq, soft, steal = (int(x) for x in Path("/proc/stat").read_text().split()[1:9])
        busy = (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), busy - sum(processor_s(pid) for pid in self.pids)

    def share(self):
        """Of all cores, since this was made."""
        at, theirs = self.now()
        return max(0.0, (theirs - self.began[1]) / (at - self.began[0]) / self.cores)


def undisturbed(quiet, servers, work):
    """(what `work` gives, what share of the cores others took meanwhile), done again while others disturb."""
    for _ in range(MOST_REPEATS):
        while True:
            others = Others(servers)
            time.sleep(0.3)
            if others.share() <= quiet:
                break
        others = Others(servers)
        out = work()
        if others.share() <= quiet:
            break
    return out, others.share()


def rate_of(dataset, batch, step_s, workers, prefetch, seconds):
    """Samples per second once every worker has delivered and the queues are as full as they stay. What comes first from
    each tells nothing of its rate, and less than a batch of each would tell too much, for those that began together
    deliver together."""
    more = {"prefetch_factor": prefetch} if workers else {}
    if not isinstance(dataset, IterableDataset):
        more["sampler"] = RandomSampler(dataset, replacement=True, num_samples=batch * 10**7)
    batches = iter(DataLoader(dataset, batch_size=batch, num_workers=workers, **more))
    began = time.perf_counter()
    warm = 0
    while warm <= workers or time.perf_counter() - began < WARM_UP * seconds:
        next(batches)
        warm += 1
        time.sleep(step_s)
    count, began = 0, time.perf_counter()
    while count < max(4, workers) or time.perf_counter() - began < seconds:
        next(batches)
        count += 1
        time.sleep(step_s)
    return count * batch / (time.perf_counter() - began)


def measured_in_turns(dataset, batch, step_s, settings, servers, rounds, seconds, quiet):
    """({setting: its rate in each round}, the largest share that others took). Every round has another order, so that
    what precedes a setting is not always the same."""
    order, rates, most = random.Random(7), {one: [] for one in settings}, 0.0
    for _ in range(rounds):
        for one in order.sample(settings, len(settings)):
            rate, others = undisturbed(quiet, servers, lambda: rate_of(dataset, batch, step_s, *one, seconds))
            rates[one].append(rate)
            most = max(most, others)
    return rates, most


def levels(rates):
    """Of each setting the median over the rounds, where each round is taken relative to the median of all its settings:
    what slows a whole round down speaks for none of them."""
    rounds = [statistics.median(found) for found in zip(*rates.values())]
    return {one: statistics.median(rounds) * statistics.median(rate / of for rate, of in zip(found, rounds))
            for one, found in rates.items()}  # fmt: skip


def judged(name, folder, given):
    """What was chosen for a dataset, and what every candidate reaches."""
    make, batch, step_s, held_back_by = CASES[name]
    dataset = make(folder)
    servers = [dataset.server.pid] if hasattr(dataset, "server") else []
    try:
        found, others_then = undisturbed(given.others, servers, lambda: stallcast.torch.suggest(
            dataset, step_time=step_s, batch_size=batch, seconds=given.suggest_seconds))  # fmt: skip
        chosen = (found.arguments["num_workers"], found.arguments["prefetch_factor"] or 2)
        settings = list(dict.fromkeys([*((workers, 2) for workers in WORKERS), chosen]))
        rates, others = measured_in_turns(dataset, batch, step_s, settings, servers, given.rounds, given.seconds,
                                          given.others)  # fmt: skip
        first = levels(rates)
        near = [one for one in settings if one == chosen or first[one] >= NEAR_BEST * max(first.values())]
        finals, others_in_finals = measured_in_turns(dataset, batch, step_s, near, servers, given.final_rounds,
                                                     2.0 * given.seconds, given.others)  # fmt: skip
    finally:
        if servers:
            dataset.server.terminate()
            dataset.server.join()
    medians = levels(finals)
    best = max(medians, key=medians.get)

    def listed(found):
        return [{"num_workers": w, "prefetch_factor": p, "samples_per_s": [round(rate, 2) for rate in rates]}
                for (w, p), rates in found.items()]  # fmt: skip

    return {
        "dataset": name, "batch_size": batch, "step_s": step_s, "held_back_by": held_back_by,
        "chosen": {"num_workers": chosen[0], "prefetch_factor": chosen[1]},
        "best": {"num_workers": best[0], "prefetch_factor": best[1]},
        "reached": round(medians[chosen] / medians[best], 4),
        "others_used_of_cores": {"while_suggesting": round(others_then, 3), "while_measuring_at_most": round(max(others, others_in_finals), 3)},
        "measured": listed(rates), "finals": listed(finals),
        "looked_at": [{"num_workers": one.num_workers, "prefetch_factor": one.prefetch_factor,
                       "predicted_samples_per_s": round(one.predicted_samples_per_s, 2),
                       "tried_samples_per_s": [rate and round(rate, 2) for rate in one.trials]} for one in found.tried],
    }  # fmt: skip


def levels_of(found):
    return levels({(one["num_workers"], one["prefetch_factor"]): one["samples_per_s"] for one in found})


def row(line):
    medians = {**levels_of(line["measured"]), **levels_of(line["finals"])}
    chosen, best = ((one["num_workers"], one["prefetch_factor"]) for one in (line["chosen"], line["best"]))
    rates = " ".join(f"{medians[workers, 2]:8.5g}" for workers in WORKERS)
    return (f"{line['dataset']:14} {rates}   {chosen[0]:2} x {chosen[1]} {medians[chosen]:8.5g}  {best[0]:2} x {best[1]}"
            f"  {100 * line['reached']:5.1f} %")  # fmt: skip


HEADER = (f"{'samples/s with':14} " + " ".join(f"{workers:8}" for workers in WORKERS)
          + "   chosen          best  reached")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=sorted(CASES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--final-rounds", type=int, default=7, help="of the settings that are near the best")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement of one setting")
    parser.add_argument("--others", type=float, default=0.1, help="share of the cores that other programs may use")
    parser.add_argument("--suggest-seconds", type=float, default=30.0)
    parser.add_argument("-o", "--output", help="a JSON file of all that was measured")
    given = parser.parse_args()
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    torch.set_num_threads(1)
    lines = []
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory(prefix="stallcast-datasets-") as folder:
        for name in given.only or CASES:
            lines.append(judged(name, folder, given))
            print(row(lines[-1]), flush=True)
            if given.output:
                Path(given.output).write_text(json.dumps({
                    "measured": datetime.date.today().isoformat(), "cores": len(os.sched_getaffinity(0)),
                    "python": platform.python_version(), "torch": torch.__version__, "rounds": given.rounds, "final_rounds": given.final_rounds,
                    "seconds": given.seconds, "suggest_seconds": given.suggest_seconds, "datasets": lines,
                }, indent=1) + "\n", encoding="utf-8")  # fmt: skip
    good = sum(line["reached"] >= REACHED for line in lines)
    print(f"{good} of {len(lines)} reach {100 * REACHED:.0f} % of the best")
    return 0 if good >= len(lines) - 1 else 1


if __name__ == "__main__":
    sys.exit(main())
