# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---
# %% [markdown]
# # Which storage for this training job?
#
# Sixteen H100 train a segmentation model (3D U-Net, samples of 140 MB). Two storage systems are offered: a parallel file
# system, and the bucket that the data lies in already. Which one, and how much of it?

# %%
from typing import List

import stallcast

job = stallcast.Scenario(
    name="3D U-Net",
    cluster={"instance": "a3-highgpu-8g", "nodes": 2},
    workload={"name": "unet3d"},
    dataset={"samples": 20000},
    loader={"num_workers": 8, "prefetch_factor": 4},
    storage={"tier": "parallelstore", "capacity": "20 TiB"},
    page_cache={"policy": "none"},
    run={"epochs": 10, "precision": 0.02},
)

# %% [markdown]
# ## The job as it is
# `simulate` says how busy the GPUs are and where their time goes; the range is what nobody measured.

# %%
now = stallcast.simulate(job)
print(f"GPU utilization {now.gpu_utilization.mean:.1%}, held back by {now.bottleneck}")
print(f"the whole run: ${now.cost.total_usd:,.2f}")

# %% [markdown]
# ## What would help?
# `explain` takes one limit away at a time and simulates again.

# %%
why = stallcast.explain(job, inputs="point")
for change in why.explanation.counterfactuals[:3]:
    print(f"{change.gain:+.1%}  {change.phrase}")

# %% [markdown]
# ## The other offer
# `compare` gives both the same luck, so that a difference is the storage and not chance.

# %%
bucket = stallcast.Scenario({**job.to_dict(), "name": "3D U-Net from the bucket", "storage": {"tier": "gcs_standard"}})
both = stallcast.compare(job, bucket, pairs=2, inputs="point")
print(both.advice.sentence)

# %% [markdown]
# ## How much of it
# `size` looks for the cheapest capacity and number of workers that keep the GPUs 60 % busy.

# %%
answer = stallcast.size(
    job, vary=["storage.capacity=20 TiB,40 TiB,80 TiB,100 TiB", "loader.num_workers=8,12"], min_utilization=0.6,
    inputs="point", front="none",
)  # fmt: skip
chosen = answer.scenario(job)
print(f"{chosen.storage.capacity}, {chosen.loader.num_workers} workers")

# %%
after = stallcast.simulate(chosen, inputs="point")
assert after.gpu_utilization.mean > now.gpu_utilization.mean
print(f"GPU utilization {after.gpu_utilization.mean:.1%}, ${after.cost.total_usd:,.2f}")

# %% [markdown]
# ## Utilization over capacity, as a table

# %%
table = stallcast.sweep(job, vary="storage.capacity=20 TiB,40 TiB,60 TiB,80 TiB,100 TiB")
utilization: List[float] = [point["gpu_utilization"] for point in table]
assert all(more > less - 0.02 for less, more in zip(utilization, utilization[1:])), "more bandwidth never adds stall"
for point in table:
    print(f"{point['/storage/capacity']:>8}  {point['gpu_utilization']:.1%}  ${point['cost.total_usd']:,.2f}")
