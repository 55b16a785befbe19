"""One JSON line per measurement, as peer_report.h prints it."""

import json


def print_measurement(items, wall_s, check):
    print(json.dumps({"items": items, "wall_s": round(wall_s, 6), "check": check}))
