#!/usr/bin/python3
"""A folder seen through a slow mount: each read waits, and all reads together have a rate. For run.py.

    slowfs.py FOLDER MOUNTPOINT [--latency 0.03] [--rate 20e6]

FUSE with direct_io, so that every read comes here and nothing is kept by the kernel. Needs python3-fusepy.
"""

import argparse
import os
import threading
import time

try:
    import fusepy as fuse  # Debian's name for it
except ImportError:
    import fuse


class SlowFiles(fuse.Operations):
    def __init__(self, folder, latency, rate):
        self.folder, self.latency, self.rate = folder, latency, rate
        self.turn, self.free_at = threading.Lock(), 0.0

    def path(self, name):
        return os.path.join(self.folder, name.lstrip("/"))

    def getattr(self, path, fh=None):
        status = os.lstat(self.path(path))
        return {key: getattr(status, key) for key in ("st_mode", "st_size", "st_nlink", "st_mtime", "st_uid", "st_gid")}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.path(path))]

    def open(self, path, flags):
        return os.open(self.path(path), flags)

    def release(self, path, fh):
        os.close(fh)
        return 0

    def read(self, path, size, offset, fh):
        data = os.pread(fh, size, offset)
        until = time.monotonic() + self.latency
        if self.rate:
            with self.turn:  # one after the other, at the rate of all
                self.free_at = max(self.free_at, time.monotonic()) + len(data) / self.rate
                until = max(until, self.free_at)
        time.sleep(max(0.0, until - time.monotonic()))
        return data


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("mountpoint")
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--rate", type=float, default=0.0)
    given = parser.parse_args()
    files = SlowFiles(given.folder, given.latency, given.rate)
    fuse.FUSE(files, given.mountpoint, foreground=True, ro=True, direct_io=True, max_readahead=0)


if __name__ == "__main__":
    main()
