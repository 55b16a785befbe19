#!/usr/bin/python3
"""Attaches to real PyTorch jobs, makes the change that stallcast names, and runs them again.

    run.py prepare FOLDER                     makes the data, 4 GB
    run.py run FOLDER PROGRAM [NAME...]       appends a line for each job to results.jsonl beside this file
    run.py lanes CORES FOLDER PROGRAM         the same for all jobs, each on that many cores, as many at once as fit
    run.py table [RESULTS]                    what came of it
    run.py diagnose PROGRAM [NAME...]         the same jobs from four numbers that each was seen with

Needs root for mounts and control groups, python3-torch, python3-pil, python3-fusepy, and for the jobs named dlio_*
what dlio_job.py says; without DLIO_SOURCE those are left out. `table` and `diagnose` need results.jsonl alone.
"""

import fcntl
import inspect
import json
import os
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pool
from pathlib import Path

import numpy
from PIL import Image

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.jsonl"
WARM_STEPS, ATTACH_S, AFTER_S = 15, 20, 12

# name: what the job is; `cause` is what it was made to starve of. A source is plain, slow (each read waits) or
# throttled (all reads together have a rate).
JOBS = {
    "jpeg_w0_cpu": dict(data="jpeg", workers=0, step=0.03, cause="cpu"),
    "jpeg_w1_cpu": dict(data="jpeg", workers=1, step=0.02, cause="cpu"),
    "jpeg_w2_cores": dict(data="jpeg", workers=2, step=0.01, cause="cpu"),
    "jpeg_w8_cores": dict(data="jpeg", workers=8, step=0.01, cause="cpu"),
    "jpeg_w2_none": dict(data="jpeg", workers=2, step=0.25, cause="none"),
    "npz_w1_cpu": dict(data="npz", workers=1, step=0.03, cause="cpu"),
    "npz_w4_none": dict(data="npz", workers=4, step=0.3, cause="none"),
    "npz_w2_slow": dict(data="npz", workers=2, step=0.1, latency=0.003, cause="slow"),
    "tar_w1_slow": dict(data="tar", workers=1, step=0.05, latency=0.003, cause="slow"),
    "tar_w2_throttled": dict(data="tar", workers=2, step=0.02, rate=4e6, cause="throttled"),
    "onefile_w4_throttled": dict(data="onefile", workers=4, step=0.05, group_rate=20e6, uncached=True, cause="throttled"),
    "onefile_w3_throttled": dict(data="onefile", workers=3, step=0.05, rate=25e6, cause="throttled"),
    "onefile_w2_slow": dict(data="onefile", workers=2, step=0.1, latency=0.02, cause="slow"),
    "onefile_w0_slow": dict(data="onefile", workers=0, step=0.1, latency=0.02, cause="slow"),
    "jpeg_w4_slow": dict(data="jpeg", workers=4, step=0.06, latency=0.06, cause="slow"),
    "jpeg_w3_order": dict(data="jpeg", workers=3, step=0.12, slow_one_in=100, cause="order"),
    "onefile_w4_order": dict(data="onefile", workers=4, step=0.25, spread=0.04, cause="order"),
    # The DLIO benchmark with its PyTorch loader.
    "dlio_jpeg_w1_cpu": dict(data="dlio_jpeg", workers=1, step=0.02, cause="cpu"),
    "dlio_npz_w1_cpu": dict(data="dlio_npz", workers=1, step=0.02, cause="cpu"),
    "dlio_png_w4_none": dict(data="dlio_png", workers=4, step=0.4, cause="none"),
    "dlio_npz_w2_slow": dict(data="dlio_npz", workers=2, step=0.05, latency=0.006, cause="slow"),
    "dlio_hdf5_w2_slow": dict(data="dlio_hdf5", workers=2, step=0.05, latency=0.003, cause="slow"),
    "dlio_npy_w2_throttled": dict(data="dlio_npy", workers=2, step=0.1, rate=60e6, cause="throttled"),
}
CAUSES = {
    "cpu": {"cpu_decode"},
    "none": {"gpu"},
    "slow": {"storage_latency", "stream_cap"},
    "throttled": {"tier_bandwidth", "client_cap", "request_rate"},
    "order": {"loader_order"},
}
BATCH = 16


def photograph(folder, i):
    """A picture that looks like a photograph to a decoder: smooth, with some noise."""
    random = numpy.random.default_rng(i)
    height, width = 300 + int(random.integers(0, 200)), 400 + int(random.integers(0, 200))
    small = random.integers(0, 255, (height // 16 + 1, width // 16 + 1, 3), dtype=numpy.uint8)
    pixels = numpy.asarray(Image.fromarray(small).resize((width, height), Image.BICUBIC)).astype(numpy.int16)
    pixels = numpy.clip(pixels + random.integers(-12, 12, pixels.shape), 0, 255).astype(numpy.uint8)
    Image.fromarray(pixels).save(folder / "jpeg" / f"{i:05d}.jpg", quality=90)
    if i < 300:
        ready = numpy.array(Image.fromarray(pixels).resize((224, 224)))
        (folder / "jpeg_ready" / f"{i:05d}.raw").write_bytes(ready.tobytes())
    if i < 200:
        values = random.normal(0, 10, (64, 64, 40)).astype(numpy.int16).astype(numpy.float32)
        numpy.savez_compressed(folder / "npz" / f"{i:05d}.npz", x=values)
        numpy.save(folder / "npz_ready" / f"{i:05d}.npy", values)


def prepare(folder):
    for kind in ("jpeg", "jpeg_ready", "npz", "npz_ready", "tar", "onefile"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    with Pool() as pool:
        pool.starmap(photograph, [(folder, i) for i in range(1500)], chunksize=10)
    names = sorted((folder / "jpeg").iterdir())
    for shard in range(10):
        with tarfile.open(folder / "tar" / f"{shard:03d}.tar", "w") as tar:
            for name in names[150 * shard : 150 * (shard + 1)]:
                tar.add(name, arcname=name.name)
    random = numpy.random.default_rng(1)
    with open(folder / "onefile" / "records.bin", "wb") as file:
        for _ in range(150):
            file.write(random.bytes(10_000_000))
    for kind in sorted({spec["data"] for spec in jobs().values() if of_dlio(spec)}):
        subprocess.run([HERE / "dlio_job.py", kind.removeprefix("dlio_"), folder / kind, "--generate"], check=True)


def of_dlio(spec):
    return spec["data"].startswith("dlio_")


def jobs():
    """Those that can run here."""
    return {name: spec for name, spec in JOBS.items() if "DLIO_SOURCE" in os.environ or not of_dlio(spec)}


def read_limited_group(device, rate):
    """A control group that reads at most `rate` bytes/s from that device."""
    limit = f"{os.major(device)}:{os.minor(device)}"
    root = Path("/sys/fs/cgroup")
    if (root / "cgroup.controllers").exists():
        (root / "cgroup.subtree_control").write_text("+io")
        group, name, limit = root / "stallcast_attach", "io.max", f"{limit} rbps={rate}"
    else:
        group, name, limit = root / "blkio/stallcast_attach", "blkio.throttle.read_bps_device", f"{limit} {rate}"
    group.mkdir(exist_ok=True)
    (group / name).write_text(limit)
    return group


def elsewhere():
    """On processors that the job does not have, where there are some: a source does not take the cores of its reader."""
    others = set(range(os.cpu_count())) - os.sched_getaffinity(0)
    if others:
        os.sched_setaffinity(0, others)


class Job:
    """One run of train.py, its mount and its control group included."""

    def __init__(self, folder, spec, seconds):
        self.mounted, self.server, self.group = None, None, None
        kind = spec["data"] + ("_ready" if spec.get("ready") else "")
        data = folder / kind
        self.work = Path(tempfile.mkdtemp(prefix="stallcast_attach_"))
        if spec.get("latency") or spec.get("rate"):
            self.mounted = self.work / "mount"
            self.mounted.mkdir()
            self.server = subprocess.Popen(
                [sys.executable, HERE / "slowfs.py", data, self.mounted, "--latency", str(spec.get("latency", 0)),
                 "--rate", str(spec.get("rate", 0))], preexec_fn=elsewhere)  # fmt: skip
            while not os.path.ismount(self.mounted):
                time.sleep(0.05)
            data = self.mounted
        words = ["--batch", BATCH, "--workers", spec["workers"], "--step", spec["step"],
                 "--times", self.work / "times", "--prefetch", spec.get("prefetch", 2)]  # fmt: skip
        for name in ("ready", "uncached", "any_order"):
            words += [f"--{name.replace('_', '-')}"] if spec.get(name) else []
        words += ["--slow-one-in", spec["slow_one_in"]] if spec.get("slow_one_in") else []
        words += ["--spread", spec["spread"]] if spec.get("spread") else []
        before = None
        if spec.get("group_rate"):
            self.group = read_limited_group(os.stat(folder).st_dev, int(spec["group_rate"]))
            before = lambda: (self.group / "cgroup.procs").write_text(str(os.getpid()))
        if spec.get("uncached"):
            with open(folder / kind / "records.bin", "rb") as file:  # out of the page cache
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        with open(self.work / "log", "w") as log:
            program = [sys.executable, HERE / ("dlio_job.py" if of_dlio(spec) else "train.py")]
            words += [] if of_dlio(spec) else ["--seconds", seconds]
            self.process = subprocess.Popen([*program, spec["data"].removeprefix("dlio_"), data, *map(str, words)],
                                            stdout=log, stderr=log, preexec_fn=before)  # fmt: skip

    def wait_until_it_trains(self):
        """Its queues have filled, and it has done some steps."""
        times = self.work / "times"
        for _ in range(600):
            time.sleep(0.1)
            if times.exists() and times.read_text().count("\n") >= WARM_STEPS:
                break
        time.sleep(1)

    def pace(self, start, end):
        """Steps a second between two times of the clock."""
        times = [float(line) for line in (self.work / "times").read_text().split() if "." in line]
        inside = [t for t in times if start <= t <= end]
        return len(inside) / (end - start)

    def stop(self):
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        self.process.kill()
        self.process.wait()
        for pid in children.stdout.split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.mounted:
            self.server.terminate()
            self.server.wait()
            if os.path.ismount(self.mounted):
                subprocess.run(["umount", "-l", self.mounted], check=False)
        if self.group:
            for _ in range(100):
                try:
                    self.group.rmdir()
                    break
                except OSError:
                    time.sleep(0.1)


def changed(spec, first, document):
    """The job with the change that `first`, a line of counterfactuals, names; nothing where it is none that can be."""
    out = dict(spec)
    now = document["scenario"]["loader"]
    name = first["name"]
    if name in ("double_workers", "quadruple_workers"):
        out["workers"] = int(first["phrase"].split()[-1])
    elif name == "loader_order":
        out["any_order"] = True
    elif name == "double_prefetch":
        out["prefetch"] = 2 * now["prefetch_factor"]
    elif name == "cpu_decode" and spec["data"] in ("jpeg", "npz"):
        out["ready"] = True
    elif name in ("storage_latency", "stream_cap", "tier_bandwidth", "client_cap"):
        for key in ("latency", "rate", "group_rate", "uncached"):
            out.pop(key, None)
    else:
        return None
    return out


def has_any_order():
    import torch.utils.data

    return "in_order" in inspect.signature(torch.utils.data.DataLoader.__init__).parameters


def first_change(document):
    """What "Change first" says; where that is in_order=False, which PyTorch before 2.6 has not, the best other line."""
    lines = document["explanation"]["counterfactuals"]
    named = [line for line in lines if line["phrase"] in document["explanation"]["change_first"]]
    if named and named[0]["name"] == "loader_order" and not has_any_order():
        named = [line for line in lines if line["gain"] >= 0.005 and line["name"] != "loader_order"]
    return named[0] if named else None


def one(folder, program, name):
    spec = JOBS[name]
    job = Job(folder, spec, 3600)
    job.wait_until_it_trains()
    start = time.monotonic()
    try:
        done = subprocess.run(
            [program, "attach", str(job.process.pid), "--time", f"{ATTACH_S} s", "--format", "json", "--try-readers",
             "-o", str(job.work / "seen.json")], capture_output=True, text=True)  # fmt: skip
        end = min(time.monotonic(), start + ATTACH_S)
        time.sleep(2)
        before = job.pace(start, end)
    finally:
        job.stop()
    row = {"name": name, "job": spec, "before": before}
    if done.returncode != 0:
        row["error"] = done.stderr
        return row
    document = json.loads(done.stdout)
    row |= {"took_s": end - start, "seen": document["seen"], "bottleneck": document["explanation"]["bottleneck"]["cause"],
            "change_first": document["explanation"]["change_first"], "messages": done.stderr,
            "predicted_before": document["samples_per_s"] / document["scenario"]["workload"]["batch_size"]}  # fmt: skip
    row["cause_right"] = document["explanation"]["bottleneck"]["cause"] in CAUSES[spec["cause"]]
    row["seen_scenario"] = (job.work / "seen.json").read_text()
    change = first_change(document)
    row["change"] = change
    again = dict(spec) if change is None else changed(spec, change, document)
    if again is None:
        return row
    utilization = document["gpu_utilization"]["mean"]
    row["predicted_after"] = row["predicted_before"] * (
        change["gpu_utilization"]["mean"] / utilization if change else 1.0
    )
    job = Job(folder, again, 3600)
    job.wait_until_it_trains()
    start = time.monotonic()
    time.sleep(AFTER_S)
    row["after"] = job.pace(start, time.monotonic())
    job.stop()
    return row


def run(folder, program, names):
    for name in names or jobs():
        try:
            row = one(folder, program, name)
        except OSError as error:  # a mount or a control group that this machine does not allow
            row = {"name": name, "job": JOBS[name], "error": str(error)}
        with open(os.environ.get("RESULTS", RESULTS), "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(row) + "\n")
        print(row["name"], row.get("bottleneck"), row.get("change_first", row.get("error")), flush=True)


def lanes(width):
    """Sets of that many logical processors, each of a core of its own."""
    mine = sorted(os.sched_getaffinity(0))
    seen, first = set(), []
    for cpu in mine:
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text()
        if siblings not in seen:
            first.append(cpu)
        seen.add(siblings)
    return [first[i : i + width] for i in range(0, len(first) - width + 1, width)]


def run_in_lanes(folder, program, width):
    free = lanes(width)
    print(f"each job on {width} of the {os.cpu_count()} processors: {free}", flush=True)

    def job(name):
        lane = free.pop()
        subprocess.run([sys.executable, __file__, "run", folder, program, name], check=False,
                       preexec_fn=lambda: os.sched_setaffinity(0, lane))  # fmt: skip
        free.append(lane)

    with ThreadPoolExecutor(len(free)) as pool:
        list(pool.map(job, jobs()))


def all_rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def last_rows(path):
    return {row["name"]: row for row in all_rows(path)}


def as_told(row):
    """What whoever runs the job would write without measuring: the machine, the loader, the size of a sample, and the
    rate that the disk or the share was sold with (1 GB/s, or what it is throttled to)."""
    job, seen = row["job"], row["seen"]
    rate = job.get("rate") or job.get("group_rate") or 1e9
    layout = {"layout": "shards", "samples_per_shard": 150} if job["data"] == "tar" else {}
    ahead = {"prefetch_factor": job.get("prefetch", 2)} if job["workers"] else {}
    style = {"style": "iterable"} if job["data"] == "tar" else {}
    return {
        "format_version": 2,
        "cluster": {"nodes": 1, "gpus_per_node": 1, "cores_per_node": seen["cores"], "memory_per_node": "25 GB"},
        "workload": {"batch_size": BATCH},
        "dataset": {"samples": 10**6, "sample_size": f"{seen['batch']['read_bytes'] / BATCH:.0f} B", **layout},
        "loader": {"num_workers": job["workers"], **ahead, **style},
        "storage": {"read_bandwidth": f"{rate / 1e6:g} MB/s"},
        "run": {"epochs": 1},
    }


def four_numbers(row):
    """Steps a second, what a step waits for data, the busy share of the cores, bytes read a second. Without workers a
    step waits for data in all of its time that is not its own."""
    seen, trainer = row["seen"], row["seen"]["trainer"]
    workers = row["job"]["workers"]
    waits = trainer["waits_fraction"] if workers else 1.0 - trainer["blocked_fraction"]
    busy = workers * seen["loaders"]["running_fraction"] + trainer["running_fraction"]
    return {
        "it_per_s": f"{row['before']:.2f}",
        "data_time": f"{1000 * waits / row['before']:.1f} ms",
        "cpu_busy": f"{busy / seen['cores']:.3f}",
        "read_rate": f"{seen['read_bytes_per_s'] / 1e6:.1f} MB/s",
    }


def diagnose(program, names):
    """A source whose reads wait and one of a given rate are told apart; samples that have to be fetched again look in
    four means like a source whose reads wait."""
    right = 0
    rows = last_rows(RESULTS)
    for name in names or rows:
        row = rows[name]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(as_told(row), file)
            file.flush()
            observed = [word for pair in four_numbers(row).items() for word in ("--observed", "=".join(pair))]
            done = subprocess.run([program, "diagnose", file.name, "--format", "json", *observed],
                                  capture_output=True, text=True)  # fmt: skip
        if done.returncode != 0:
            print(name, done.stderr)
            continue
        explanation = json.loads(done.stdout)["explanation"]
        cause = explanation["bottleneck"]["cause"]
        wanted = CAUSES[row["job"]["cause"]]
        right += cause in wanted
        print(f"{name:22} {row['job']['cause']:10} {'right' if cause in wanted else 'WRONG':6} {cause:16} "
              f"{explanation['change_first']}", flush=True)  # fmt: skip
    print(f"cause right in {right} of {len(names or rows)}")


def table(path):
    rows = all_rows(path)
    off = []
    for row in rows:
        if "error" in row:
            print(f"{row['name']:22} {row['job']['cause']:10} {row['error'].strip()}")
            continue
        after, predicted = row.get("after"), row.get("predicted_after")
        error = predicted / after - 1.0 if after and predicted else None
        off += [abs(error)] if error is not None else []
        change = (row.get("change") or {}).get("name", "-")
        print(f"{row['name']:22} {row['job']['cause']:10} {row.get('bottleneck', 'ERROR'):16} "
              f"{'right' if row.get('cause_right') else 'WRONG':6} {change:16} before {row['before']:6.2f} "
              f"(says {row.get('predicted_before', 0):6.2f})  after {after or 0:6.2f} "
              f"(says {predicted or 0:6.2f}) {100 * error if error is not None else float('nan'):+6.1f} %")  # fmt: skip
    right = sum(bool(row.get("cause_right")) for row in rows)
    print(f"cause right in {right} of {len(rows)}; throughput after the change within 10 % in "
          f"{sum(o <= 0.1 for o in off)}, within 20 % in {sum(o <= 0.2 for o in off)} of {len(off)}, "
          f"median {100 * statistics.median(off) if off else 0:.1f} %")  # fmt: skip


def main():
    what = sys.argv[1]
    if what == "prepare":
        prepare(Path(sys.argv[2]))
    elif what == "table":
        table(Path(sys.argv[2]) if len(sys.argv) > 2 else RESULTS)
    elif what == "diagnose":
        diagnose(sys.argv[2], sys.argv[3:])
    elif what == "lanes":
        run_in_lanes(Path(sys.argv[3]), sys.argv[4], int(sys.argv[2]))
    else:
        run(Path(sys.argv[2]), sys.argv[3], sys.argv[4:])


if __name__ == "__main__":
    main()
