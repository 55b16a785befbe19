# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---
# %% [markdown]
# # How many workers does this dataset need?
#
# A dataset of compressed files on this machine, a GPU step of 20 ms for 16 samples. `stallcast.torch.suggest` measures
# the dataset for some seconds, predicts other settings of its loader, and tries those out that come near the best.

# %%
import os
import tempfile
import zlib
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

import stallcast
from stallcast.torch import record, suggest

folder = tempfile.TemporaryDirectory()
for i in range(100):
    words = os.urandom(20_000) + b"some words, again and again " * 1_000
    (Path(folder.name) / f"{i:03}.z").write_bytes(zlib.compress(words))


class Files(Dataset[torch.Tensor]):
    def __len__(self) -> int:
        return 100_000

    def __getitem__(self, index: int) -> torch.Tensor:
        data = zlib.decompress((Path(folder.name) / f"{index % 100:03}.z").read_bytes())
        return torch.frombuffer(bytearray(data[:4096]), dtype=torch.uint8)


# %% [markdown]
# ## Ask

# %%
found = suggest(Files(), step_time=0.02, batch_size=16, seconds=12)
print(found)

# %% [markdown]
# ## What was looked at

# %%
for one in found.tried:
    measured = "" if one.measured_samples_per_s is None else f"{one.measured_samples_per_s:8.0f} measured"
    print(f"{one.num_workers:3} workers, {one.prefetch_factor} ahead: {one.predicted_samples_per_s:8.0f} predicted {measured}")

# %% [markdown]
# ## Take it, and record the real loop
# The record holds what the loop did. `calibrate` puts it into a scenario, for machines and storage that are not here.

# %%
arguments: Any = found.arguments
loader: Any = DataLoader(Files(), batch_size=16, **arguments)
path = Path(folder.name) / "run.jsonl"
with record(loader, path) as recording:
    for step, batch in enumerate(recording):
        if step == 50:
            break

# %%
measured_job = stallcast.calibrate(
    stallcast.Scenario(cluster={"nodes": 1, "gpus_per_node": 1, "cores_per_node": os.cpu_count() or 1}), path
).scenario
assert "decode_time" in measured_job.to_dict()["dataset"]

# %% [markdown]
# ## The same job on a node with eight GPUs

# %%
big = measured_job.copy()
big.cluster.update(gpus_per_node=8, cores_per_node=96)
big.run.precision = 0.02
for workers in (2, 4, 8):
    big.loader.num_workers = workers
    print(workers, f"{stallcast.simulate(big, inputs='point').samples_per_s:.0f} samples/s")
