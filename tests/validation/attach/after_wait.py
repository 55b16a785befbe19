#!/usr/bin/python3
"""What a wait costs a loader's process in CPU time: the caches of its core are cold afterwards.

    after_wait.py

One process prepares samples again and again, without a wait between them and with a sleep of each length, in turns. The
CPU time of the process tells what it takes longer for after a sleep, the call of the sleep included. Needs python3-pil
and python3-numpy. The median over the rounds is printed for each kind of sample and each length of the wait.
"""

import io
import statistics
import time

import numpy
from PIL import Image

WAITS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03)
ROUNDS, WAITS_OF_A_ROUND = 9, 60


def jpeg(side):
    random = numpy.random.default_rng(side)
    small = random.integers(0, 256, (side // 8, side // 8, 3), dtype=numpy.uint8)
    file = io.BytesIO()
    Image.fromarray(small).resize((side, side)).save(file, "JPEG", quality=85)
    return file.getvalue()


def npz(values):
    file = io.BytesIO()
    numpy.savez_compressed(file, x=numpy.random.default_rng(values).integers(0, 16, values, dtype=numpy.uint8))
    return file.getvalue()


def decode_jpeg(data):
    numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def decode_npz(data):
    numpy.load(io.BytesIO(data))["x"].sum()


SAMPLES = {
    "JPEG of 64 pixels": (decode_jpeg, jpeg(64)),
    "JPEG of 256 pixels": (decode_jpeg, jpeg(256)),
    "JPEG of 1024 pixels": (decode_jpeg, jpeg(1024)),
    "npz of 16 kB": (decode_npz, npz(16_000)),
    "npz of 1 MB": (decode_npz, npz(1_000_000)),
}


def cpu_s(decode, data, wait_s, times):
    """CPU seconds of one sample with a wait before it."""
    began = time.process_time()
    for _ in range(times):
        if wait_s:
            time.sleep(wait_s)
        decode(data)
    return (time.process_time() - began) / times


def main():
    print(f"{'':22}{'CPU alone':>12}" + "".join(f"{1e3 * wait:>9.1f} ms" for wait in WAITS))
    for name, (decode, data) in SAMPLES.items():
        decode(data)
        alone, extra = [], {wait: [] for wait in WAITS}
        for _ in range(ROUNDS):
            base = cpu_s(decode, data, 0.0, WAITS_OF_A_ROUND)
            alone.append(base)
            for wait in WAITS:
                extra[wait].append(cpu_s(decode, data, wait, WAITS_OF_A_ROUND) - base)
        print(
            f"{name:22}{1e3 * statistics.median(alone):>9.2f} ms"
            + "".join(f"{1e6 * statistics.median(extra[wait]):>9.0f} us" for wait in WAITS),
            flush=True,
        )


if __name__ == "__main__":
    main()
