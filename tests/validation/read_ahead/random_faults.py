#!/usr/bin/env python3
"""What samples at random places of a mapped file cost: page faults that wait, and bytes that are read.

    random_faults.py FILE      a file of 1 GiB is written there, once

Each sample is touched from its first byte to its last, in a map as Linux has it and in one with MADV_RANDOM, which is
what LMDB asks for with its read-ahead off. The page cache is dropped before.
"""

import mmap
import os
import random
import resource
import sys

import numpy

FILE_BYTES = 1 << 30
SAMPLES = 200


def write(path: str) -> None:
    if os.path.exists(path) and os.path.getsize(path) == FILE_BYTES:
        return
    block = os.urandom(1 << 20)
    with open(path, "wb") as file:
        for _ in range(FILE_BYTES // len(block)):
            file.write(block)
        os.fsync(file.fileno())


def bytes_read() -> int:
    with open("/proc/self/io", encoding="ascii") as io:
        return next(int(line.split()[1]) for line in io if line.startswith("read_bytes"))


def measure(path: str, advice: int, sample_bytes: int) -> tuple[float, float]:
    """Faults that wait, and bytes read, for each sample."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        whole = mmap.mmap(file.fileno(), FILE_BYTES, prot=mmap.PROT_READ)
        whole.madvise(advice)
        data = numpy.frombuffer(whole, dtype=numpy.uint8)
        faults, read = resource.getrusage(resource.RUSAGE_SELF).ru_majflt, bytes_read()
        for _ in range(SAMPLES):
            start = random.randrange(FILE_BYTES - sample_bytes)
            int(data[start : start + sample_bytes].sum())
        faults = resource.getrusage(resource.RUSAGE_SELF).ru_majflt - faults
        read = bytes_read() - read
        del data
        whole.close()
    return faults / SAMPLES, read / SAMPLES


def main() -> None:
    path = sys.argv[1]
    write(path)
    random.seed(1)
    for name, advice in (("as Linux has it", mmap.MADV_NORMAL), ("MADV_RANDOM", mmap.MADV_RANDOM)):
        for kibi in (4, 110, 600):
            faults, read = measure(path, advice, kibi * 1024)
            print(f"{name:16} {kibi:4} KiB: {faults:6.2f} faults that wait, {read:9.0f} bytes for a sample")


if __name__ == "__main__":
    main()
