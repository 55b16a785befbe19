#!/usr/bin/env python3
"""Measures what share of a dataset the page cache of Linux lets through, epoch by epoch, when it holds a part of it.

measure.py FOLDER FILES FRACTION SEED [sequential]: writes FILES files of 200 kB into FOLDER unless they are there, gives
this process a memory control group (version 1) that has room for FRACTION of them, reads all of them in a fresh random
order (or in the same one) six times, and prints one line of JSON. What was read from the disk is the kernel's own count
(/proc/self/io). Needs root.
"""

import json
import os
import platform
import random
import sys

SIZE = 200_000
PAGE = os.sysconf("SC_PAGE_SIZE")
EPOCHS = 6


def bytes_from_disk():
    with open("/proc/self/io") as counts:
        return next(int(line.split()[1]) for line in counts if line.startswith("read_bytes"))


def main():
    folder, files, fraction, seed = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    reshuffled = len(sys.argv) < 6
    names = [os.path.join(folder, f"{i:06d}.bin") for i in range(files)]
    os.makedirs(folder, exist_ok=True)
    for name in names:
        if not os.path.exists(name):
            with open(name, "wb") as out:
                out.write(os.urandom(SIZE))
    os.sync()
    for name in names:
        fd = os.open(name, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)

    group = f"/sys/fs/cgroup/memory/page_cache_{os.getpid()}"
    dataset = files * -(-SIZE // PAGE) * PAGE
    process = 12 << 20  # this interpreter, and the kernel's memory for the files' names
    os.mkdir(group)
    with open(group + "/memory.limit_in_bytes", "w") as limit:
        limit.write(str(int(fraction * dataset) + process + 700 * files))
    with open(group + "/cgroup.procs", "w") as member:
        member.write(str(os.getpid()))

    buffer, order, dice, shares = bytearray(SIZE), list(range(files)), random.Random(seed), []
    for _ in range(EPOCHS):
        if reshuffled:
            dice.shuffle(order)
        before = bytes_from_disk()
        for i in order:
            fd = os.open(names[i], os.O_RDONLY)
            os.readv(fd, [buffer])
            os.close(fd)
        shares.append(round((bytes_from_disk() - before) / dataset, 4))
    with open(group + "/memory.stat") as stat:
        cached = next(int(line.split()[1]) for line in stat if line.startswith("total_cache"))
    with open("/sys/fs/cgroup/memory/cgroup.procs", "w") as member:
        member.write(str(os.getpid()))
    os.rmdir(group)
    print(json.dumps({"kernel": platform.release(), "reshuffled": reshuffled, "files": files, "file_bytes": SIZE,
                      "seed": seed, "held_fraction": round(cached / dataset, 4), "read_share_by_epoch": shares}))


if __name__ == "__main__":
    main()
