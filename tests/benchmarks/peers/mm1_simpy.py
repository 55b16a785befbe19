"""M/M/1 in SimPy: one process makes customers, one serves them in order. Arguments: customers, arrival rate."""

import json
import random
import sys
import time

import simpy

SERVICE_RATE = 1.0


def arrive(env, queue, customers, arrival_rate, rng):
    for _ in range(customers):
        yield env.timeout(rng.expovariate(arrival_rate))
        queue.put(env.now)


def serve(env, queue, customers, rng, total):
    for _ in range(customers):
        arrived = yield queue.get()
        yield env.timeout(rng.expovariate(SERVICE_RATE))
        total[0] += env.now - arrived


def main():
    customers = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    arrival_rate = float(sys.argv[2]) if len(sys.argv) > 2 else 0.75
    rng = random.Random(1)
    env = simpy.Environment()
    queue = simpy.Store(env)
    total = [0.0]
    env.process(arrive(env, queue, customers, arrival_rate, rng))
    env.process(serve(env, queue, customers, rng, total))
    start = time.perf_counter()
    env.run()
    wall_s = time.perf_counter() - start
    print(json.dumps({
        "engine": "SimPy", "model": "mm1", "item": "events", "items": 2 * customers, "wall_s": round(wall_s, 4),
        "items_per_s": round(2 * customers / wall_s), "check": f"mean_sojourn {total[0] / customers:.4g}"}))


main()
