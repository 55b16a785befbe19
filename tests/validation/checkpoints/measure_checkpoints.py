#!/usr/bin/env python3
"""Measure what real checkpoints take, and what their components take alone.

    measure_checkpoints.py run --dir DIR [--only PATTERN] [--repeats N] [--s3 URL] -o RUNS.jsonl
    measure_checkpoints.py medians RUNS.jsonl -o MEASURED.jsonl

`run` writes one JSON record per run: `config` (what was saved, by whom, how), `inputs` (components measured alone right
before the run) and `outputs` (how long the save, and the load where there is one, took). It measures every configuration
once before it measures any a second time. `medians` makes one record of the runs of a configuration, each figure their
median. README.md beside this file says what each key means.

Real: torch.save, torch.load and the distributed checkpoint of PyTorch with its processes over gloo; copies from a GPU,
where there is one; the local disk; an S3-speaking server and boto3. DIR should be on the disk to be measured.
Needs Linux, PyTorch 1.13 or later and, with --s3, boto3.
"""

import argparse
import dataclasses
import fnmatch
import io
import json
import os
import pickle
import platform
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def hashable(cls=None, **settings):
    """dataclass(), every class with a hash: PyTorch 1.13 has defaults that Python 3.11 refuses without one."""

    def made(of):
        out = plain_dataclass(**settings)(of)
        if out.__hash__ is None:
            out.__hash__ = object.__hash__
        return out

    return made if cls is None else made(cls)


plain_dataclass = dataclasses.dataclass
if torch.__version__ < "2":
    dataclasses.dataclass = hashable
    import torch.distributed._shard.checkpoint as dcp
else:
    import torch.distributed.checkpoint as dcp
from torch.distributed._shard import sharded_tensor
from torch.distributed._shard.sharding_spec import ChunkShardingSpec

dataclasses.dataclass = plain_dataclass

SCHEMA = 1
BLOCK = 1 << 20
PART = 8 << 20  # of a multipart upload; boto3's default
now = time.perf_counter


# --------------------------------------------------------------------------
# What is measured. GB are 10^9 bytes; tensors are of equal size.
# --------------------------------------------------------------------------


def config(software, gigabytes, tensors, writers, target="disk", fsync=False, **more):
    return dict(
        {
            "id": f"{software}-{target}-{gigabytes:g}GB-{tensors}t-{writers}w" + ("-fsync" if fsync else ""),
            "software": software,
            "target": target,
            "bytes": int(gigabytes * 1e9),
            "tensors": tensors,
            "writers": writers,
            "fsync": fsync,
            "files_per_writer": 1,
            "part_bytes": 0,
            "parts_at_once": 1,
            "part_retries": 0,
            "load": False,
            "device": "cpu",
            "mode": "sync",
        },
        **more,
    )


def configurations():
    out = []
    for size, tensors, fsync in [
        (0.2, 10, False), (0.2, 400, True), (0.5, 100, False), (1, 10, True), (1, 100, False), (1, 400, False),
        (2, 100, True), (4, 10, False), (4, 400, True),
    ]:
        out.append(config("torch_save", size, tensors, 1, fsync=fsync, load=size <= 2 and not fsync))
    for size, tensors, writers, fsync in [(1, 100, 2, False), (1, 40, 4, False), (1, 100, 2, True), (2, 400, 4, True)]:
        out.append(config("torch_save", size, tensors, writers, fsync=fsync))
    for size, tensors, writers, per_tensor in [
        (0.2, 100, 1, False), (1, 100, 1, False), (0.5, 400, 1, True), (0.5, 100, 2, False), (1, 400, 2, False),
        (1, 100, 2, True), (0.5, 10, 4, False), (1, 100, 4, False), (2, 100, 4, True), (4, 100, 4, False),
    ]:
        c = config("torch_dcp", size, tensors, writers, fsync=True, files_per_writer=tensors if per_tensor else 1)
        c["id"] += "-each" if per_tensor else ""
        c["load"] = writers == 1 and not per_tensor
        out.append(c)
    for size, tensors, writers in [(1, 100, 1), (1, 400, 2), (1, 100, 4)]:
        out.append(config("torch_dcp", size, tensors, writers, fsync=False))
    for size, writers, parts in [
        (0.2, 1, 1), (0.5, 1, 1), (0.2, 1, 2), (0.5, 1, 2), (0.2, 1, 4), (0.5, 1, 4), (0.5, 1, 8), (0.4, 2, 1),
        (0.4, 2, 4),
    ]:
        c = config("torch_save", size, 100, writers, target="s3", part_bytes=PART, parts_at_once=parts)
        c["id"] += f"-{parts}p"
        out.append(c)
    for software, size, tensors, mode in [
        ("torch_save", 1, 100, "sync"), ("torch_save", 4, 400, "sync"), ("torch_dcp", 1, 100, "sync"),
        ("torch_dcp", 1, 100, "async"), ("torch_dcp", 4, 400, "async"),
    ]:
        c = config(software, size, tensors, 1, device="cuda", mode=mode, fsync=software == "torch_dcp")
        c["id"] += "-cuda" + ("-async" if mode == "async" else "")
        out.append(c)
    return out


# --------------------------------------------------------------------------
# The machine
# --------------------------------------------------------------------------


def memory_bytes(key):
    for line in open("/proc/meminfo"):
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


def kept_free_bytes():
    """What the kernel reclaims memory for: the high watermarks of all zones."""
    pages = [int(line.split()[1]) for line in open("/proc/zoneinfo") if line.split()[:1] == ["high"]]
    return sum(pages) * os.sysconf("SC_PAGESIZE")


class NoBallast:
    def fill(self):
        pass


class Ballast:
    """Fills free memory with clean pages of the page cache, as on a machine that has run for a while.

    A virtual machine may hand free memory back to its host and then pays for every page that it touches again: 3 s a
    GB, where writing into memory takes 0.3. Clean pages are reclaimed instead, at the cost that every machine has.
    """

    STEP = 64 << 20

    def __init__(self, path):
        memory = memory_bytes("MemTotal")
        self.size = 4 * memory // self.STEP * self.STEP
        self.file = os.open(path, os.O_RDWR | os.O_CREAT)
        os.ftruncate(self.file, self.size)  # a hole: takes no space on the disk
        self.at = 0
        self.buffers = [bytearray(4 << 20) for _ in range(os.cpu_count())]
        with ThreadPoolExecutor(len(self.buffers)) as pool:  # the first time it is nearly all of the memory
            while memory_bytes("MemFree") > (4 << 30) + len(self.buffers) * self.STEP and self.at < memory:
                list(pool.map(self.step, self.buffers))
        self.fill()

    def step(self, buffer):
        start, self.at = self.at, (self.at + self.STEP) % self.size
        for at in range(start, start + self.STEP, len(buffer)):
            os.preadv(self.file, [buffer], at)

    def fill(self):
        """Until about what the kernel keeps free is free, or reading on changes that no more. Over several steps, since
        others free memory meanwhile."""
        while (before := memory_bytes("MemFree")) > 2 * kept_free_bytes():
            for _ in range(8):
                self.step(self.buffers[0])
            if memory_bytes("MemFree") > before - 2 * self.STEP:
                return


# --------------------------------------------------------------------------
# In a worker process
# --------------------------------------------------------------------------


class NothingWriter(dcp.FileSystemWriter):
    """Plans and commits as the file writer does, and writes no data."""

    def write_data(self, plan, planner):
        future = torch.futures.Future()
        future.set_result([])
        return future


def plain_state(config):
    """What one writer saves with torch.save."""
    each = config["bytes"] // config["tensors"] // 4
    count = config["tensors"] // config["writers"]
    return {f"layer.{i}.weight": torch.arange(each, dtype=torch.float32, device=config["device"]) for i in range(count)}


def sharded_state(config, elements):
    """A state dict of sharded tensors, each split over all writers."""
    ranks = config["writers"]
    spec = ChunkShardingSpec(dim=0, placements=[f"rank:{r}/cpu" for r in range(ranks)])
    state = {}
    for i in range(config["tensors"]):
        state[f"layer.{i}.weight"] = sharded_tensor.zeros(spec, ranks, max(1, elements // ranks))
    for tensor in state.values():
        for shard in tensor.local_shards():
            shard.tensor.fill_(1.0)
    return state


def remove(path):
    shutil.rmtree(path, ignore_errors=True)


class Worker:
    def __init__(self, rank, ranks, directory, s3):
        self.rank, self.ranks, self.directory, self.s3 = rank, ranks, directory, s3
        self.state = None
        self.config = None
        self.number = 0

    def together(self):
        if self.ranks > 1:
            dist.barrier()

    def timed(self, work):
        """Seconds from when all start until the last one is done; of rank 0."""
        self.together()
        begin = now()
        work()
        self.together()
        return now() - begin

    # -- components, each alone ------------------------------------------------

    def prepare(self, config):
        torch.set_num_threads(1)
        self.state = None
        self.config = config
        if config["software"] == "torch_dcp" and config["device"] == "cpu":
            self.state = sharded_state(config, config["bytes"] // config["tensors"] // 4)
        else:
            self.state = plain_state(config)
        return sum(t.numel() for t in self.tensors()) * 4

    def tensors(self):
        for t in self.state.values():
            if isinstance(t, torch.Tensor) and not hasattr(t, "local_shards"):
                yield t
            else:
                for shard in t.local_shards():
                    yield shard.tensor

    def serialise(self):
        """torch.save, the bytes going nowhere."""
        begin = now()
        if self.config["software"] == "torch_dcp":
            with open("/dev/null", "wb") as nowhere:
                for t in self.tensors():
                    torch.save(t, nowhere)
        elif self.config["target"] == "s3":
            self.body = io.BytesIO()
            torch.save(self.state, self.body)
        else:
            torch.save(self.state, "/dev/null")
        return now() - begin

    def write(self, size):
        """A file of `size` bytes into the page cache, and then to the disk: (seconds, seconds)."""
        path = os.path.join(self.directory, f"component_{self.rank}")
        data = memoryview(bytearray(os.urandom(1024)) * (64 << 10))  # 64 MiB
        begin = now()
        with open(path, "wb", buffering=0) as out:
            done = 0
            while done < size:
                at = done % len(data)
                done += out.write(data[at : at + min(BLOCK, size - done)])
            written = now()
            os.fsync(out.fileno())
            synced = now()
        os.unlink(path)
        return written - begin, synced - written

    def create(self, count):
        """Seconds a file of 4 KiB that is created, written, synced and closed takes; and the same without the sync."""
        out = []
        for sync in (True, False):
            folder = tempfile.mkdtemp(dir=self.directory)
            begin = now()
            for i in range(count):
                with open(os.path.join(folder, str(i)), "wb") as f:
                    f.write(bytes(4096))
                    if sync:
                        f.flush()
                        os.fsync(f.fileno())
            out.append((now() - begin) / count)
            remove(folder)
        return out

    def plan(self, tensors):
        """Seconds that planning and commit of a state with that many tensors take, with nothing to write."""
        state = sharded_state(dict(self.config, tensors=tensors), self.config["writers"])
        writer = NothingWriter(os.path.join(self.directory, "plan"))
        return self.timed(lambda: self.save_dcp(state, writer))

    def put(self, parts, connections):
        """An upload of that many parts over that many connections: seconds of the parts, and of its completion."""
        client = self.client(connections)
        name = {"Bucket": self.s3[1], "Key": f"component/{self.rank}"}
        upload = client.create_multipart_upload(**name)["UploadId"]

        def one(i):
            body = io.BytesIO(bytes(PART))  # read by the client as it sends, as a part of a file is
            tag = client.upload_part(**name, UploadId=upload, PartNumber=i + 1, Body=body)["ETag"]
            return {"PartNumber": i + 1, "ETag": tag}

        with ThreadPoolExecutor(connections) as pool:
            list(pool.map(one, range(connections)))  # connections are open
            begin = now()
            sent = list(pool.map(one, range(parts)))
            done = now()
        client.complete_multipart_upload(**name, UploadId=upload, MultipartUpload={"Parts": sent})
        return done - begin, now() - done

    def round_trip(self):
        """Seconds of a request without data."""
        client = self.client(1)
        times = []
        for _ in range(12):
            begin = now()
            client.put_object(Bucket=self.s3[1], Key="component/empty", Body=b"")
            times.append(now() - begin)
        return statistics.median(times)

    def read(self, path):
        """Seconds to read a file from the disk, in order."""
        self.forget(path)
        begin = now()
        with open(path, "rb", buffering=0) as f:
            while f.read(BLOCK):
                pass
        return now() - begin

    # -- whole -------------------------------------------------------------------

    def client(self, connections):
        import boto3
        from botocore.config import Config

        return boto3.client(
            "s3", endpoint_url=self.s3[0], region_name="us-east-1",
            config=Config(max_pool_connections=connections, s3={"addressing_style": "path"}))

    def save_dcp(self, state, writer):
        if hasattr(dcp, "save"):
            dcp.save(state, storage_writer=writer, no_dist=self.ranks == 1)
        else:
            dcp.save_state_dict(state, writer, no_dist=self.ranks == 1)

    def save_async(self):
        """(stop, whole): until the call comes back and training could go on, and until all is on the disk."""
        self.number += 1
        begin = now()
        saving = dcp.async_save(self.state, storage_writer=dcp.FileSystemWriter(self.path(), sync_files=True))
        stop = now() - begin
        saving.result()
        return stop, now() - begin

    def stage(self):
        """Bytes a second from the device into memory: as PyTorch's cpu() does it, and into pinned memory that exists."""
        out = []
        for pinned in (False, True):
            if pinned:
                there = [torch.empty(t.shape, dtype=t.dtype, pin_memory=True) for t in self.tensors()]
            torch.cuda.synchronize()
            begin = now()
            if pinned:
                for to, of in zip(there, self.tensors()):
                    to.copy_(of, non_blocking=True)
                torch.cuda.synchronize()
            else:
                there = [t.cpu() for t in self.tensors()]
            out.append(now() - begin)
            del there
        return out

    def path(self):
        return os.path.join(self.directory, f"save_{self.number}")

    def save(self):
        self.number += 1
        c = self.config
        if c["target"] == "s3":
            from boto3.s3.transfer import TransferConfig

            client = self.client(c["parts_at_once"])
            transfer = TransferConfig(multipart_threshold=c["part_bytes"], multipart_chunksize=c["part_bytes"],
                                      max_concurrency=c["parts_at_once"])

            def work():
                body = io.BytesIO()
                torch.save(self.state, body)
                body.seek(0)
                client.upload_fileobj(body, self.s3[1], f"save/{self.number}/{self.rank}", Config=transfer)

            return self.timed(work)
        if c["software"] == "torch_dcp":
            writer = dcp.FileSystemWriter(
                self.path(), single_file_per_rank=c["files_per_writer"] == 1, sync_files=c["fsync"])
            return self.timed(lambda: self.save_dcp(self.state, writer))
        if self.rank == 0:
            os.makedirs(self.path())

        def work():
            path = os.path.join(self.path(), f"rank_{self.rank}.pt")
            torch.save(self.state, path)
            if c["fsync"]:
                with open(path, "rb+") as f:
                    os.fsync(f.fileno())

        return self.timed(work)

    def saved_files(self):
        return sorted(os.path.join(self.path(), f) for f in os.listdir(self.path()) if f != ".metadata")

    def forget(self, path):
        """Out of the page cache."""
        with open(path, "rb") as f:
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def load_components(self):
        """Reading alone, cold; loading alone, from the page cache."""
        path = self.saved_files()[0]
        read = self.read(path)
        return {"read_s": read, "deserialise_s": self.load_time(), "bytes": os.path.getsize(path)}

    def load_time(self):
        if self.config["software"] == "torch_dcp":
            reader = dcp.FileSystemReader(self.path())
            if hasattr(dcp, "load"):
                return self.timed(lambda: dcp.load(self.state, storage_reader=reader, no_dist=True))
            return self.timed(lambda: dcp.load_state_dict(self.state, reader, no_dist=True))
        path = self.saved_files()[0]
        begin = now()
        torch.load(path)
        return now() - begin

    def load(self):
        for path in self.saved_files():
            self.forget(path)
        return self.load_time()

    def clean(self):
        self.together()
        if self.rank == 0:
            remove(self.path())
        self.together()


def serve(rank, ranks, directory, s3, pipe, rendezvous):
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=ranks)
    worker = Worker(rank, ranks, directory, s3)
    while True:
        try:
            name, arguments = pipe.recv()
        except EOFError:
            break
        if name == "stop":
            break
        try:
            pipe.send((True, getattr(worker, name)(*arguments)))
        except Exception as error:  # told by the campaign
            pipe.send((False, repr(error)))
    dist.destroy_process_group()


class Team:
    """`ranks` processes that do the same thing at the same time."""

    def __init__(self, ranks, directory, s3, ballast):
        self.ballast = ballast
        context = mp.get_context("spawn")
        rendezvous = os.path.join(directory, f"rendezvous_{ranks}_{os.getpid()}")
        self.pipes, self.processes = [], []
        for rank in range(ranks):
            ours, theirs = context.Pipe()
            process = context.Process(target=serve, args=(rank, ranks, directory, s3, theirs, rendezvous))
            process.start()
            self.pipes.append(ours)
            self.processes.append(process)

    def ask(self, ranks, name, *arguments):
        for rank in ranks:
            self.pipes[rank].send((name, arguments))
        answers = [self.pipes[rank].recv() for rank in ranks]
        for fine, value in answers:
            if not fine:
                raise RuntimeError(f"{name}: {value}")
        self.ballast.fill()  # at once: what is free for two seconds is gone
        return [value for _, value in answers]

    def all(self, name, *arguments):
        return self.ask(range(len(self.pipes)), name, *arguments)

    def one(self, name, *arguments):
        return self.ask([0], name, *arguments)[0]

    def stop(self):
        for pipe in self.pipes:
            pipe.send(("stop", ()))
        for process in self.processes:
            process.join()


# --------------------------------------------------------------------------
# A run
# --------------------------------------------------------------------------


def rate(size, time):
    return size / time if time > 0 else None


def components(team, c):
    own = team.all("prepare", c)
    size = own[0]
    ranks = c["writers"]
    busy = list(range(min(ranks, os.cpu_count())))
    team.one("serialise")  # warm: the first one imports and allocates
    alone = team.one("serialise")
    together = max(team.ask(busy, "serialise")) if len(busy) > 1 else alone
    inputs = {
        "cores": os.cpu_count(),
        "memory_bytes": memory_bytes("MemAvailable"),
        "bytes_per_writer": size,
        "serialise": {"alone_Bps": rate(size, alone), "all_cores_Bps": rate(size, together)},
    }
    if c["target"] == "s3":
        round_trip = team.one("round_trip")
        one_connection, completion = team.one("put", 16, 1)
        inputs["put"] = {
            "round_trip_s": round_trip,
            "one_connection_Bps": rate(16 * PART, one_connection),
            "most_Bps": rate(32 * PART, team.one("put", 32, 8)[0]),
            "complete_Bps": rate(16 * PART, max(1e-6, completion - round_trip)),
        }
        return inputs
    if c["device"] == "cuda":
        team.one("stage")  # warm
        pageable, pinned = team.one("stage")
        inputs["stage"] = {"pageable_Bps": rate(size, pageable), "pinned_Bps": rate(size, pinned)}
    sample = int(5e8)
    written, synced = team.one("write", sample)
    several = team.ask(busy, "write", sample) if len(busy) > 1 else [(written, synced)]
    synced_file, plain_file = team.one("create", 50)
    inputs["write"] = {
        "alone_Bps": rate(sample, written),
        "all_cores_Bps": rate(sample, max(w for w, _ in several)),
        "sync_Bps": rate(sample, synced),
        "file_s": plain_file,
        "synced_file_s": synced_file,
    }
    if c["software"] == "torch_dcp":
        few, many = 10, 200
        team.all("plan", few)
        at_few, at_many = team.all("plan", few)[0], team.all("plan", many)[0]
        per_tensor = max(0.0, (at_many - at_few) / (many - few))
        inputs["plan"] = {"base_s": max(0.0, at_few - few * per_tensor), "per_tensor_s": per_tensor}
    return inputs


def run(team, c, repeat):
    record = {"schema": SCHEMA, "kind": "checkpoint", "id": c["id"], "repeat": repeat, "config": c}
    record["inputs"] = components(team, c)
    os.sync()
    if c["mode"] == "async":
        stop, whole = team.one("save_async")
        outputs = {"save_s": whole, "stop_s": stop}
    else:
        outputs = {"save_s": team.all("save")[0]}
    if c["load"]:
        record["inputs"]["load"] = team.one("load_components")
        outputs["load_s"] = team.one("load")
    record["outputs"] = outputs
    if c["target"] != "s3":
        team.all("clean")
    return record


def median_of(values):
    """Of numbers; of objects by key; of anything else the first one."""
    first = values[0]
    if isinstance(first, dict):
        return {key: median_of([v[key] for v in values]) for key in first}
    if isinstance(first, (int, float)) and not isinstance(first, bool):
        middle = statistics.median(values)
        return round(middle) if all(isinstance(v, int) for v in values) else middle
    return first


def medians(runs, output):
    by_id = {}
    for line in open(runs):
        record = json.loads(line)
        by_id.setdefault(record["id"], []).append(record)
    with open(output, "w") as out:
        for name in sorted(by_id):
            out.write(json.dumps(dict(median_of(by_id[name]), repeat=0, repeats=len(by_id[name]))) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "list", "medians"])
    parser.add_argument("runs", nargs="?", help="what `medians` reads")
    parser.add_argument("--dir")
    parser.add_argument("--only", default="*", help="configurations whose id matches this pattern")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--s3", help="URL/BUCKET of a server; credentials as boto3 finds them")
    parser.add_argument("--time", type=float, default=1e9, help="start no run after that many seconds")
    parser.add_argument("--no-ballast", action="store_true", help="leave free memory free: its host takes none back")
    parser.add_argument("--machine", default=platform.node(), help="the name that records give the machine")
    parser.add_argument("-o", "--output", help="records are appended; those already there are not measured again")
    given = parser.parse_args()
    begin = now()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if given.command == "medians":
        medians(given.runs, given.output)
        return
    chosen = [c for c in configurations() if fnmatch.fnmatch(c["id"], given.only)
              and (c["target"] != "s3" or given.s3 or given.command == "list")
              and (c["device"] == "cpu" or torch.cuda.is_available() or given.command == "list")]
    if not chosen:
        parser.error(f"--only {given.only}: no configuration that can be measured here has such an id (see `list`); "
                     "a pattern is as the shell's, '*disk*'")
    if given.command == "list":
        for c in chosen:
            print(c["id"])
        return
    done = set()
    if os.path.exists(given.output):
        done = {(r["id"], r["repeat"]) for r in map(json.loads, open(given.output))}
    directory = tempfile.mkdtemp(prefix="stallcast_checkpoints_", dir=given.dir)
    ballast = NoBallast() if given.no_ballast else Ballast(os.path.join(given.dir, "ballast.hole"))
    s3 = given.s3.rsplit("/", 1) if given.s3 else None
    teams = {}
    try:
        for ranks in sorted({c["writers"] for c in chosen}):
            teams[ranks] = Team(ranks, directory, s3, ballast)
        for repeat in range(given.repeats):
            todo = [c for c in chosen if (c["id"], repeat) not in done]
            random.Random(repeat).shuffle(todo)
            for c in todo:
                if now() - begin > given.time:
                    return
                record = run(teams[c["writers"]], c, repeat) | {"machine": given.machine}
                with open(given.output, "a") as out:
                    out.write(json.dumps(record) + "\n")
                print(f"{now() - begin:.0f} s", c["id"], repeat, json.dumps(record["outputs"]), file=sys.stderr, flush=True)
    finally:
        for team in teams.values():
            team.stop()
        remove(directory)


if __name__ == "__main__":
    main()
