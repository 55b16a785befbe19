"""A sweep as a real Slurm job array: the same bytes as without, and a missing shard is named and made again."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cluster  # noqa: E402

PROGRAM = os.environ["STALLCAST_PROGRAM"]
SHARDS = 5
SCENARIO = """// 20 steps on storage that cannot keep up.
{
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"sample_size": "100 kB", "samples": 80},
  "storage": {"latency": "2 ms", "read_bandwidth": "50 MB/s"},
  "cost": {"node_price": "$10/h"},
  "run": {"whole_run": true}
}
"""
# 4 x 3 x 2 points; the name in quotes goes through the job file, its shell and Slurm.
VARY = ["--vary", "loader.num_workers=1,2,3,4", "--vary", "loader.prefetch_factor=1,2,4", "--vary",
        "cost.node_price=$1/h,$2/h", "--set", "description=it's \"one\" $HOME"]


def stallcast(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def content(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


class SlurmSweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stallcast slurm ")  # with spaces: paths are quoted
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.scenario = os.path.join(self.folder, "job.json")
        with open(self.scenario, "w", encoding="utf-8") as file:
            file.write(SCENARIO)

    def at(self, name):
        return os.path.join(self.folder, name)

    def succeed(self, *words):
        done = stallcast(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def expect_same_results(self, name):
        for file in ("results.jsonl", "results.csv"):
            self.assertEqual(content(self.at(name), file), content(self.at("alone"), file))

    def test_an_array_merges_to_the_bytes_of_one_process(self):
        self.succeed("sweep", self.scenario, *VARY, "-o", self.at("alone"))
        self.succeed("sweep", self.scenario, *VARY, "-o", self.at("array"), "--emit", "slurm", "--shards", str(SHARDS),
                     "--job-file", self.at("job.sh"))
        # Sockets have short names, and Slurm's configuration no quotes.
        with tempfile.TemporaryDirectory(prefix="stallcast_slurm_") as place, cluster.Cluster(place) as slurm:
            slurm.run_array(self.at("job.sh"), cwd=self.folder)
            self.assertEqual(self.points(), [f"points-{i}-of-{SHARDS}.jsonl" for i in range(1, SHARDS + 1)],
                             self.outputs())
            self.succeed("merge", self.at("array"), "-o", self.at("merged"))
            self.expect_same_results("merged")

            os.remove(os.path.join(self.at("array"), f"points-3-of-{SHARDS}.jsonl"))
            without = stallcast("merge", self.at("array"), "-o", self.at("merged_again"))
            self.assertEqual(without.returncode, 2)
            self.assertIn(f"shard 3/{SHARDS} missing", without.stderr)
            self.assertIn(f"--shard 3/{SHARDS} -o '{self.at('array')}'", without.stderr)
            self.assertFalse(os.path.exists(self.at("merged_again")))

            slurm.run_array(self.at("job.sh"), "--array=3", cwd=self.folder)
            self.succeed("merge", self.at("array"), "-o", self.at("merged_again"))
            self.expect_same_results("merged_again")

    def points(self):
        if not os.path.isdir(self.at("array")):
            return []
        return sorted(name for name in os.listdir(self.at("array")) if name.startswith("points-"))

    def outputs(self):
        """What the tasks printed."""
        return "".join(content(self.folder, name).decode(errors="replace")
                       for name in sorted(os.listdir(self.folder)) if name.startswith("slurm-"))


if __name__ == "__main__":
    if reason := cluster.missing():
        print(f"skipped: a real Slurm job array: {reason}")
        sys.exit(77)
    unittest.main()
