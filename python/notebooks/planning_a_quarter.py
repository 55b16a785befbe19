# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---
# %% [markdown]
# # Planning a quarter
#
# Three groups train in the next thirteen weeks, each many runs of one kind. How long does a run take, what does it cost,
# and do all of them fit the machines and the budget?

# %%
from typing import Dict

import stallcast

WEEKS = 13
NODES = 16
BUDGET = 2_000_000.0
HOURS = WEEKS * 7 * 24


def job(name: str, workload: str, nodes: int, samples: int, epochs: int) -> stallcast.Scenario:
    return stallcast.Scenario(
        name=name,
        cluster={"instance": "a3-highgpu-8g", "nodes": nodes},
        workload={"name": workload},
        dataset={"samples": samples},
        loader={"num_workers": 8},
        storage={"tier": "parallelstore", "capacity": "100 TiB"},
        run={"epochs": epochs, "precision": 0.02},
    )


jobs = [
    job("Segmentation", "unet3d", nodes=4, samples=100_000, epochs=60),
    job("Classifier", "resnet50", nodes=2, samples=50_000_000, epochs=90),
    job("Physics", "cosmoflow", nodes=2, samples=5_000_000, epochs=40),
]

RUNS = {"Segmentation": 300, "Classifier": 60, "Physics": 200}

# %% [markdown]
# ## One run of each

# %%
results: Dict[str, stallcast.SimulateResult] = {}
for one in jobs:
    result = stallcast.simulate(one, inputs="point")
    results[one.name] = result
    assert result.time_to_train_s is not None and result.cost.total_usd is not None
    print(f"{one.name:14} {result.gpu_utilization.mean:6.1%} busy  {result.time_to_train_s / 86400:6.1f} d  "
          f"${result.cost.total_usd:12,.0f}")  # fmt: skip

# %% [markdown]
# ## Does it fit?
# Node-hours are what the quarter has; dollars are what the budget has.

# %%
node_hours = sum(RUNS[one.name] * one.cluster.nodes * (results[one.name].time_to_train_s or 0.0) / 3600 for one in jobs)
dollars = sum(RUNS[one.name] * (results[one.name].cost.total_usd or 0.0) for one in jobs)
print(f"{node_hours:,.0f} of {NODES * HOURS:,.0f} node-hours, ${dollars:,.0f} of ${BUDGET:,.0f}")

# %% [markdown]
# ## What to improve first
# The runs that waste most dollars, and the change that would buy most of them back.

# %%
worst = max(jobs, key=lambda one: RUNS[one.name] * (results[one.name].cost.wasted_usd or 0.0))
print(f"{worst.name} wastes ${RUNS[worst.name] * (results[worst.name].cost.wasted_usd or 0.0):,.0f}")
why = stallcast.explain(worst, inputs="point")
print(why.explanation.change_first)

# %% [markdown]
# ## What if the machines cost something else?
# Prices need no new simulation, so a sweep over them is quick.

# %%
for point in stallcast.sweep(worst, vary="cost.node_price=$60/h,$88/h,$110/h"):
    print(f"{point['/cost/node_price']:>8}  ${point['cost.total_usd']:12,.0f}")

# %%
assert node_hours < NODES * HOURS and dollars < BUDGET, "the quarter does not hold all of them"
