// Files of jobs that share a storage: found, read, and put on the storage of the first.
#include "core/scenario/resolve/concurrent_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/scenario/resolve/resolve.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string rendered_errors(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings.list())
    if (finding.severity == Severity::kError) text += render_finding(finding) + "\n";
  return text;
}

class Beside : public ::testing::Test {
 protected:
  Beside() {
    fs::create_directories(folder_ / "sub");
    fs::current_path(folder_);
  }
  ~Beside() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  static void write(const std::string& name, const std::string& content) { std::ofstream(name) << content; }

  // What a.json is resolved to, with everything said about it and the files it names.
  static Loaded<ResolvedScenario> resolved(const std::string& content, const std::string& name = "a.json",
                                           const std::string& override = "") {
    write(name, content);
    Loaded<ScenarioFile> file = load_scenario(name);
    Findings findings = file.findings;
    if (!override.empty()) apply_override(*file.value, override, findings);
    load_concurrent_jobs(*file.value, findings);
    Loaded<ResolvedScenario> out = resolve(*file.value, shipped_catalogue());
    findings.append(out.findings);
    out.findings = std::move(findings);
    return out;
  }

  fs::path before_ = fs::current_path();
  fs::path folder_ = fs::temp_directory_path() / ("stallcast_beside_" + std::to_string(::getpid()));
};

constexpr const char* kLoad = R"({"job": "serving", "name": "load", "cluster": {"nodes": 3},
  "serving": {"weights": "140 GB"}, "run": {"start": "5 min"}})";
constexpr const char* kTraining = R"({"name": "training", "workload": {"step_time": "10 ms"},
  "dataset": {"sample_size": "1 MB"}, "storage": {"tier": "fsx_lustre_scratch_2", "capacity": "12000 GiB"},
  "run": {"concurrent_jobs": ["b.json"]}})";

// The storage of the first, values of its record too, and everything else its own.
TEST_F(Beside, AJobIsPutOnTheStorageOfTheFirst) {
  write("b.json", kLoad);
  const auto out = resolved(kTraining);
  ASSERT_TRUE(out.value) << rendered_errors(out.findings);
  ASSERT_EQ(out.value->concurrent_jobs.size(), 1U);
  const Scenario &first = out.value->scenario, &load = out.value->concurrent_jobs[0].scenario;
  EXPECT_EQ(load.name, "load");
  EXPECT_EQ(load.cluster.nodes, 3);
  EXPECT_EQ(load.run.start, seconds(300));
  EXPECT_EQ(load.storage.tier, first.storage.tier);
  EXPECT_EQ(load.storage.read_bandwidth, first.storage.read_bandwidth);
  EXPECT_GT(load.storage.read_bandwidth.base(), 0.0);
  EXPECT_EQ(out.value->concurrent_jobs[0].provenance.at("/storage/capacity").origin, Origin::kFile);
}

// From the folder of the file, wherever it is read from; and by --set, for the first alone.
TEST_F(Beside, NamesAreFromTheFolderOfTheFile) {
  write("sub/b.json", kLoad);
  EXPECT_TRUE(resolved(kTraining, "sub/a.json").value);
  EXPECT_EQ(resolved(kTraining, "sub/a.json", "run.concurrent_jobs=b.json,b.json").value->concurrent_jobs.size(), 2U);
  EXPECT_TRUE(resolved(kTraining, "sub/a.json", "run.concurrent_jobs=").value->concurrent_jobs.empty());
}

TEST_F(Beside, SaysWhichFileIsMissing) {
  EXPECT_EQ(rendered_errors(resolved(kTraining).findings),
            "a.json: error[no_such_file] at /run/concurrent_jobs/0:\n"
            "  got \"b.json\"; allowed a scenario file, from the folder of this one (b.json does not exist)\n");
  EXPECT_THAT(rendered_errors(resolved(kTraining, "a.json", "run.concurrent_jobs=c.json").findings),
              HasSubstr("--set: error[no_such_file] at /run/concurrent_jobs/0"));
}

TEST_F(Beside, NoFileNamesItself) {
  EXPECT_EQ(rendered_errors(resolved(R"({"workload": {"step_time": "1 ms"}, "dataset": {"sample_size": "1 MB"},
                                   "run": {"concurrent_jobs": ["./a.json"]}})")
                                .findings),
            "a.json: error[names_itself] at /run/concurrent_jobs/0:\n"
            "  got \"./a.json\"; remove it; for two equal jobs copy the file (it is this scenario itself)\n");
}

// So there is no ring either.
TEST_F(Beside, ANamedFileNamesNoOthers) {
  write("b.json", R"({"job": "serving", "serving": {"weights": "1 GB"}, "run": {"concurrent_jobs": ["a.json"]}})");
  EXPECT_THAT(rendered_errors(resolved(kTraining).findings),
              HasSubstr("b.json: error[nested] at /run/concurrent_jobs:\n"
                        "  got [\"a.json\"]; allowed nothing in a file that another one names; remove it, and name all "
                        "jobs in a.json\n"));
}

// Values that are the same may be written down twice.
TEST_F(Beside, AnotherStorageIsAContradiction) {
  write("b.json", R"({"job": "serving", "serving": {"weights": "1 GB"},
                      "storage": {"tier": "fsx_lustre_scratch_2", "capacity": "1200 GiB"}})");
  EXPECT_EQ(rendered_errors(resolved(kTraining).findings),
            "b.json: error[contradiction] at /storage/capacity:\n"
            "  got \"1200 GiB\"; allowed \"12000 GiB\"; remove it (a.json names this job to run on its storage)\n");
}

TEST_F(Beside, FindingsHaveTheNameOfTheirFile) {
  write("b.json", R"({"job": "serving", "serving": {"weight": "1 GB"}})");
  const std::string text = rendered_errors(resolved(kTraining).findings);
  EXPECT_THAT(text, HasSubstr("b.json: error[unknown_key] at /serving/weight:"));
  EXPECT_THAT(text, HasSubstr("b.json: error[missing_value] at /serving/weights:"));
}

TEST_F(Beside, AStorageInEveryNodeIsNotShared) {
  write("b.json", kLoad);
  EXPECT_EQ(rendered_errors(resolved(R"({"workload": {"step_time": "10 ms"}, "dataset": {"sample_size": "1 MB"},
                                   "storage": {"scope": "per_node"}, "run": {"concurrent_jobs": ["b.json"]}})")
                                .findings),
            "a.json: error[contradiction] at /run/concurrent_jobs:\n"
            "  got [\"b.json\"]; allowed nothing when the storage is in every node; remove it, or name a "
            "/storage/tier that is shared (these jobs share no storage)\n");
}

}  // namespace
}  // namespace stallcast
