#!/usr/bin/python3
"""The DLIO benchmark with its PyTorch loader, as a job for run.py; its data loading is untouched.

    DLIO_SOURCE=CHECKOUT dlio_job.py FORMAT FOLDER --batch 16 --workers 2 --step 0.02 --times FILE
    DLIO_SOURCE=CHECKOUT dlio_job.py FORMAT FOLDER --generate

CHECKOUT is one of argonne-lcf/dlio_benchmark. Needs Debian's python3-torch, python3-mpi4py, python3-h5py,
python3-omegaconf, python3-psutil, python3-pandas and python3-pil. hydra and the tracer, which Debian does not have, are
replaced by what is below; the tracer's place in the loop over batches is where a batch's time is noted.
"""

import argparse
import os
import sys
import tempfile
import time
import types

from omegaconf import OmegaConf

# How many files, samples in each, and bytes in a sample.
DATA = {
    "jpeg": (3200, 1, 150528),
    "npz": (3200, 1, 150528),
    "png": (1600, 1, 150528),
    "hdf5": (320, 4, 150528),
    "npy": (800, 1, 1048576),
}


class Tracer:
    """Stands for all that DLIO asks of the tracer: decorators, contexts and updates that do nothing."""

    def __call__(self, *given, **named):
        return given[0] if len(given) == 1 and callable(given[0]) and not named else self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def log(self, function):
        return function

    log_init = log_static = log

    def iter(self, things, *_, **__):
        return things


class Batches(Tracer):
    """The iteration over a loader's batches, each noted in a file as it arrives."""

    def __init__(self, file):
        self.file = file

    def iter(self, batches, *_, **__):
        for batch in batches:
            print(f"{time.monotonic():.6f}", file=self.file, flush=True)
            yield batch


def stand_ins(config, times):
    """Modules in the place of hydra and dftracer."""
    hydra = types.ModuleType("hydra")
    hydra.main = lambda **_: lambda function: lambda: function(config)
    hydra.initialize = hydra.compose = lambda *_, **__: None
    tracer = types.ModuleType("dftracer.python")
    tracer.DFTRACER_ENABLE, tracer.dftracer, tracer.dft_fn = False, Tracer(), lambda *_, **__: Tracer()
    tracer.ai = Tracer()
    tracer.ai.dataloader = Tracer()
    tracer.ai.dataloader.fetch = Batches(times)
    sys.modules |= {"hydra": hydra, "dftracer": types.ModuleType("dftracer"), "dftracer.python": tracer}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("format", choices=DATA)
    parser.add_argument("folder")
    parser.add_argument("--generate", action="store_true")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--step", type=float, default=0.1)
    parser.add_argument("--prefetch", type=int, default=2, help="batches for each worker")
    parser.add_argument("--times", default=os.devnull)
    given = parser.parse_args()
    files, samples, size = DATA[given.format]
    workload = {
        "model": {"name": given.format, "type": "cnn"},
        "framework": "pytorch",
        "workflow": {"generate_data": given.generate, "train": not given.generate, "checkpoint": False},
        "dataset": {"data_folder": given.folder, "format": given.format, "num_files_train": files,
                    "num_samples_per_file": samples, "record_length_bytes": size},
        "reader": {"data_loader": "pytorch", "batch_size": given.batch, "read_threads": given.workers,
                   "prefetch_size": given.prefetch * given.workers, "file_shuffle": "seed", "sample_shuffle": "seed"},
        "train": {"epochs": 1000, "computation_time": given.step},
        "output": {"folder": tempfile.mkdtemp(prefix="dlio_")},
    }  # fmt: skip
    with open(given.times, "w") as times:
        stand_ins(OmegaConf.create({"workload": workload}), times)
        sys.path.insert(0, os.environ["DLIO_SOURCE"])
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        from dlio_benchmark import main as dlio

        dlio.main()


if __name__ == "__main__":
    main()
