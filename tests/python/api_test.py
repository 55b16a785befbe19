"""The package as people use it: scenarios, results, mistakes."""

import copy
import json
import pathlib
import pickle
import tempfile
import unittest
import warnings

import stallcast
from stallcast import _core

QUICK = {
    "name": "Quick",
    "cluster": {"nodes": 1, "gpus_per_node": 1, "cores_per_node": 8},
    "workload": {"batch_size": 32, "step_time": "100 ms"},
    "dataset": {"sample_size": "100 kB", "decode_time": "10 ms", "samples": 32000},
    "loader": {"num_workers": 4},
    "storage": {"read_bandwidth": "1 GB/s", "latency": "1 ms"},
    "run": {"precision": 0.02},
}


class Scenarios(unittest.TestCase):
    def test_every_field_of_the_table_is_an_attribute_with_its_default_and_documentation(self):
        job = stallcast.Scenario()
        for field in _core.fields():
            holder = getattr(job, field["group"]) if field["group"] else job
            self.assertEqual(getattr(holder, field["name"]), json.loads(field["default"]), field["pointer"])
            self.assertIn(field["help"], getattr(type(holder), field["name"]).__doc__)
            self.assertIn(field["name"], dir(holder))

    def test_dict_keywords_and_file_give_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "job.json"
            path.write_text(json.dumps(QUICK))
            loaded = stallcast.Scenario.load(path)
        self.assertEqual(stallcast.Scenario(QUICK), loaded)
        self.assertEqual(stallcast.Scenario(**QUICK), loaded)
        self.assertEqual(stallcast.Scenario({"loader": {"num_workers": 1}}, loader={"prefetch_factor": 4}).to_dict()["loader"],
                         {"num_workers": 1, "prefetch_factor": 4})

    def test_what_was_given_comes_back(self):
        self.assertEqual(stallcast.Scenario(QUICK).to_dict(), QUICK)
        with tempfile.TemporaryDirectory() as folder:
            path = stallcast.Scenario(QUICK).save(pathlib.Path(folder) / "saved.json")
            self.assertEqual(stallcast.Scenario.load(path).to_dict(), QUICK)

    def test_copies_are_their_own(self):
        job = stallcast.Scenario(QUICK)
        for other in (job.copy(), copy.copy(job), copy.deepcopy(job), pickle.loads(pickle.dumps(job))):
            self.assertEqual(other, job)
            other.loader.num_workers = 9
            self.assertEqual(job.loader.num_workers, 4)

    def test_fields_can_be_set_in_every_way(self):
        job = stallcast.Scenario()
        job.loader.num_workers = 3
        job.loader.update(prefetch_factor=5, in_order=False)
        job.workload = {"step_time": {"kind": "lognormal", "mean": "100 ms", "sigma": 0.2}}
        job.set("workload.step_time.mean=200 ms", "cluster.nodes=2")
        self.assertEqual(job.to_dict(), {
            "cluster": {"nodes": 2},
            "workload": {"step_time": {"kind": "lognormal", "mean": "200 ms", "sigma": 0.2}},
            "loader": {"num_workers": 3, "prefetch_factor": 5, "in_order": False},
        })  # fmt: skip

    def test_assigning_a_group_replaces_it_and_updating_does_not(self):
        job = stallcast.Scenario(QUICK)
        job.loader.update(prefetch_factor=3)
        self.assertEqual(job.to_dict()["loader"], {"num_workers": 4, "prefetch_factor": 3})
        job.loader = {"in_order": False}
        self.assertEqual(job.to_dict()["loader"], {"in_order": False})
        self.assertEqual(job.loader.num_workers, stallcast.Scenario().loader.num_workers)
        with self.assertRaises(stallcast.InputError):
            job.loader = {"num_worker": 8}
        self.assertEqual(job.to_dict()["loader"], {"in_order": False})

    def test_numbers_of_numpy_are_numbers(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        job = stallcast.Scenario(loader={"num_workers": numpy.int64(7)})
        job.run.precision = numpy.float32(0.25)
        self.assertEqual((job.loader.num_workers, job.run.precision), (7, 0.25))

    def test_resolved_has_every_field(self):
        resolved = stallcast.Scenario(QUICK).resolved()
        groups = {field["group"] for field in _core.fields()} - {""}
        self.assertLessEqual(groups, set(resolved))
        self.assertEqual(resolved["loader"]["num_workers"], 4)


class Mistakes(unittest.TestCase):
    def message(self, make):
        with self.assertRaises(stallcast.InputError) as caught:
            make()
        return caught.exception

    def test_a_wrong_name_gives_the_message_of_the_command_line_with_the_nearest_name(self):
        error = self.message(lambda: stallcast.Scenario(loader={"num_worker": 8}))
        self.assertIn("Scenario: error[unknown_key] at /loader/num_worker:", str(error))
        self.assertIn("num_workers", error.findings[0].fix)
        self.assertIsInstance(error, ValueError)

    def test_everything_wrong_is_told_at_once(self):
        error = self.message(lambda: stallcast.Scenario(
            cluster={"instance": "a3-highgpu-8", "nodes": 0}, workload={"allreduce_overlap": 95}))
        self.assertEqual([finding.pointer for finding in error.findings],
                         ["/cluster/nodes", "/workload/allreduce_overlap", "/cluster/instance"])

    def test_a_wrong_assignment_changes_nothing(self):
        job = stallcast.Scenario(QUICK)
        for wrong in (lambda: setattr(job.loader, "num_worker", 8), lambda: setattr(job.loader, "num_workers", -1),
                      lambda: setattr(job, "loade", {}), lambda: job.set("loader.num_workers=x"),
                      lambda: job.loader.update(prefetch_factor=2, num_workers="many")):
            self.message(wrong)
            self.assertEqual(job.to_dict(), QUICK)

    def test_a_value_that_no_json_can_hold_is_named(self):
        with self.assertRaisesRegex(TypeError, "a object is no value of a scenario"):
            stallcast.Scenario(loader={"num_workers": object()})

    def test_a_missing_file_is_trouble_of_the_world(self):
        with self.assertRaisesRegex(stallcast.WorldError, "no_such_file.json"):
            stallcast.Scenario.load("no_such_file.json")
        self.assertTrue(issubclass(stallcast.WorldError, OSError))

    def test_words_are_checked(self):
        with self.assertRaisesRegex(ValueError, "ranges, point"):
            stallcast.simulate(QUICK, inputs="points")
        with self.assertRaisesRegex(ValueError, "total"):
            stallcast.size(QUICK, objective="totl")
        with self.assertRaisesRegex(ValueError, "full, latin, sobol"):
            stallcast.sweep(QUICK, vary="loader.num_workers=1,2", design="random")
        with self.assertRaisesRegex(ValueError, "two scenarios"):
            stallcast.compare(QUICK)
        with self.assertRaisesRegex(ValueError, "no example 'headlin'"):
            stallcast.example("headlin")

    def test_options_are_refused_as_on_the_command_line(self):
        self.assertEqual(self.message(lambda: stallcast.size(QUICK, min_utilization=95)).findings[0].file, "--min-utilization")
        self.assertEqual(self.message(lambda: stallcast.size(QUICK, quotas={"gpu": 8})).findings[0].code, "not_a_quota")
        self.assertEqual(self.message(lambda: stallcast.sweep(QUICK, vary="loader.num_worker=1,2")).findings[0].code,
                         "unknown_key")
        self.assertEqual(self.message(lambda: stallcast.sweep(QUICK, vary="loader.num_workers=1,2", design="sobol"))
                         .findings[0].code, "missing_points")
        self.assertEqual(self.message(lambda: stallcast.sensitivity(QUICK, figures="gpu_util")).findings[0].code,
                         "unknown_figure")

    def test_what_is_for_one_training_job_says_so(self):
        several = stallcast.example("training_beside_serving")
        self.assertEqual(self.message(lambda: stallcast.explain(several)).findings[0].code, "one_training_job")
        self.assertEqual(self.message(lambda: stallcast.sweep(several, vary="loader.num_workers=1,2")).findings[0].code,
                         "one_training_job")

    def test_errors_survive_pickling(self):
        error = pickle.loads(pickle.dumps(self.message(lambda: stallcast.Scenario(loader={"num_worker": 8}))))
        self.assertEqual(error.findings[0].code, "unknown_key")

    def test_warnings_are_warnings_of_python_and_data(self):
        doubtful = stallcast.Scenario(QUICK)
        doubtful.set("loader.num_workers=64", "cluster.cores_per_node=4")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result = stallcast.simulate(doubtful, inputs="point")
        self.assertEqual([str(one.message) for one in told], [finding.text for finding in result.warnings])
        for one in told:
            self.assertEqual(one.filename, __file__)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = stallcast.simulate(QUICK, inputs="point")

    def test_decoding_bound_job_has_the_rate_of_its_workers(self):
        # 4 workers with 10 ms of decoding and 1.1 ms of reading a sample: 4 / 11.1 ms = 360 samples/s, if nothing else
        # took time. The loader's own costs do, so a little less.
        self.assertLess(self.result.samples_per_s, 4 / 0.0111)
        self.assertGreater(self.result.samples_per_s, 0.8 * 4 / 0.0111)

    def test_numbers_are_attributes_and_items(self):
        r = self.result
        self.assertEqual(r.gpu_utilization.mean, r["gpu_utilization"]["mean"])
        self.assertEqual(r.to_dict(), json.loads(r.to_json()))
        self.assertIn("gpu_utilization", dir(r))
        with self.assertRaisesRegex(AttributeError, "gpu_utilization"):
            r.no_such_figure

    def test_text_html_and_charts(self):
        r = self.result
        self.assertIn("GPU utilization", str(r))
        page = r._repr_html_()
        self.assertGreaterEqual(page.count("<svg"), 2)
        self.assertIn("Quick", page)
        for chart in r.charts:
            self.assertIn("<svg", chart.svg())
            self.assertIn("$schema", chart.vega())
            self.assertTrue(chart.title and chart.csv())

    def test_tables(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frame = self.result.to_dataframe()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertAlmostEqual(frame["gpu_utilization.mean"][0], self.result.gpu_utilization.mean, places=12)
        table = stallcast.sweep(QUICK, vary=["loader.num_workers=1,2", "loader.prefetch_factor=2,4"])
        self.assertEqual(len(table.to_dataframe()), 4)
        self.assertEqual(len(table), 4)
        self.assertEqual(table[-1].to_dict(), table.to_dict()[3])

    def test_results_survive_pickling(self):
        again = pickle.loads(pickle.dumps(self.result))
        self.assertEqual(again.to_json(), self.result.to_json())
        self.assertEqual(str(again), str(self.result))

    def test_a_diagnosis_has_a_table_charts_and_its_scenario(self):
        found = stallcast.diagnose(stallcast.example("two_workers"), observed={"it_per_s": 3})
        rows = found.to_csv().splitlines()
        self.assertEqual(len(rows), 1 + len(found.fit.inputs))
        self.assertTrue(rows[0].startswith("path,"))
        self.assertIn("<svg", found._repr_html_())
        again = pickle.loads(pickle.dumps(found))
        self.assertEqual(again.fitted_scenario, found.fitted_scenario)
        self.assertEqual(again.to_csv(), found.to_csv())

    def test_same_seed_same_bytes_other_seed_other_bytes(self):
        def figures(seed):
            found = stallcast.simulate(stallcast.example("headline_gcs"), seed=seed, precision=0.02, inputs="point").to_dict()
            return {key: value for key, value in found.items() if key != "wall_s"}
        self.assertEqual(figures(7), figures(7))
        self.assertNotEqual(figures(7)["gpu_utilization"], figures(8)["gpu_utilization"])

    def test_settings_of_a_call_leave_the_scenario_alone(self):
        job = stallcast.Scenario(QUICK)
        fewer = stallcast.simulate(job, set=["loader.num_workers=1"], inputs="point")
        self.assertEqual(job.to_dict(), QUICK)
        self.assertLess(fewer.samples_per_s, self.result.samples_per_s)

    def test_trace_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "timeline.json"
            stallcast.simulate(QUICK, inputs="point", trace=path)
            self.assertTrue(json.loads(path.read_text())["traceEvents"])

    def test_size_gives_a_scenario_that_keeps_its_target(self):
        # 320 samples/s of the GPU, and 4 workers give less: 5 are needed, and with the loader's own costs 6 are enough.
        answer = stallcast.size(QUICK, vary="loader.num_workers=1..8", min_utilization=0.9, inputs="point", front="none")
        chosen = answer.scenario(QUICK)
        self.assertIn(chosen.loader.num_workers, (4, 5, 6))
        self.assertGreater(stallcast.simulate(chosen, inputs="point").gpu_utilization.mean, 0.89)

    def test_diagnose_fits_what_was_seen(self):
        job = stallcast.Scenario(QUICK)
        seen = stallcast.simulate(job, inputs="point").samples_per_s
        del job  # decoding is what nobody knows now
        unknown = {**QUICK, "dataset": {k: v for k, v in QUICK["dataset"].items() if k != "decode_time"}}
        found = stallcast.diagnose(unknown, observed={"samples_per_s": seen})
        self.assertTrue(found.fit.explained)
        self.assertIn("decode_time", found.fitted_scenario.to_dict()["dataset"])

    def test_progress_is_told(self):
        told = []
        stallcast.sweep(QUICK, vary="loader.num_workers=1..24", progress=lambda *args: told.append(args))
        what, done, wanted, _ = told[-1]
        self.assertEqual((what, wanted), ("points", 24))
        self.assertLessEqual(done, 24)

    def test_progress_that_fails_ends_the_call(self):
        def refuse(*_):
            raise KeyError("enough")
        with self.assertRaisesRegex(KeyError, "enough"):
            stallcast.sweep(QUICK, vary="loader.num_workers=1..64", precision=0.001, progress=refuse)


class Catalogues(unittest.TestCase):
    def test_records_are_listed_and_shown(self):
        records = stallcast.catalogue()
        self.assertIn("resnet50", records.names("workload"))
        self.assertIn("a3-highgpu-8g", records.show("a3-highgpu-8g"))
        with self.assertRaisesRegex(stallcast.InputError, "parallelstore"):
            records.show("parallelstor")
        with self.assertRaisesRegex(ValueError, "kinds are"):
            records.list("tiers")

    def test_an_overlay_changes_what_comes_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "workloads"
            path.mkdir()
            (path / "mine.json").write_text(json.dumps(
                {"kind": "workload", "name": "mine", "title": "Ours", "extends": "resnet50"}))
            mine = stallcast.Catalogue([folder])
        self.assertIn("mine", mine.names("workload"))
        self.assertNotIn("mine", stallcast.catalogue().names("workload"))


if __name__ == "__main__":
    unittest.main()
