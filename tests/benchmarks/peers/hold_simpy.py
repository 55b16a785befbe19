"""Hold model in SimPy: processes that wait, again and again. Arguments: processes, holds in all."""

import random
import sys
import time

import simpy

from peer_report import print_measurement


def hold(env, rng, holds):
    while True:
        yield env.timeout(rng.expovariate(1.0))
        holds[0] += 1


def main():
    pending, wanted = int(sys.argv[1]), int(sys.argv[2])
    rng, env, holds = random.Random(1), simpy.Environment(), [0]
    for _ in range(pending):
        env.process(hold(env, rng, holds))
    simulated_s = wanted / pending
    start = time.perf_counter()
    env.run(until=simulated_s)
    wall_s = time.perf_counter() - start
    print_measurement(holds[0], wall_s, holds[0] / wanted)


main()
