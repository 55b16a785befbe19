"""M/M/1 in SimPy: one process makes customers, one serves them in order. Arguments: customers."""

import random
import sys
import time

import simpy

from peer_report import print_measurement

ARRIVAL_RATE = 0.75
SERVICE_RATE = 1.0


def arrive(env, queue, customers, rng):
    for _ in range(customers):
        yield env.timeout(rng.expovariate(ARRIVAL_RATE))
        queue.put(env.now)


def serve(env, queue, customers, rng, total):
    for _ in range(customers):
        arrived = yield queue.get()
        yield env.timeout(rng.expovariate(SERVICE_RATE))
        total[0] += env.now - arrived


def main():
    customers = int(sys.argv[1])
    rng, env, total = random.Random(1), simpy.Environment(), [0.0]
    queue = simpy.Store(env)
    env.process(arrive(env, queue, customers, rng))
    env.process(serve(env, queue, customers, rng, total))
    start = time.perf_counter()
    env.run()
    wall_s = time.perf_counter() - start
    print_measurement(2 * customers, wall_s, total[0] / customers)


main()
