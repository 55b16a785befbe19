#include "core/plan/emit/job_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/plan/sweep/shell_words.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Words that a shell would take apart, join, expand or run.
const std::vector<std::string> kNastyWords = {"a b",        "it's", "$HOME",       "`id`", "$(id)", "a;b", "x\ny", "*",
                                              "\"quoted\"", "",     "back\\slash", "#no",  "~",     "-o",  "a&b"};

class JobFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("stallcast_job_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // A program that writes each of its words into the file "words", with a zero byte after it.
  std::string echoing_program() const {
    const std::string path = write("echo words", "#!/bin/sh\nprintf '%s\\0' \"$@\" > '" + words_file() + "'\n");
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::string words_file() const { return (folder_ / "words").string(); }
  std::vector<std::string> words() const {
    std::ifstream file(words_file());
    std::vector<std::string> out;
    for (std::string word; std::getline(file, word, '\0');) out.push_back(word);
    return out;
  }
  fs::path folder_;
};

TEST_F(JobFile, ShellWordsAreReadBack) {
  std::vector<std::string> command = {echoing_program()};
  command.insert(command.end(), kNastyWords.begin(), kNastyWords.end());
  ASSERT_EQ(std::system(shell_command(command).c_str()), 0);
  EXPECT_EQ(words(), kNastyWords);
}

TEST_F(JobFile, OrdinaryWordsStayAsTheyAre) {
  EXPECT_EQ(shell_command({"stallcast", "sweep", "a.json", "--vary", "loader.num_workers=1..8:x2", "-o", "out/one"}),
            "stallcast sweep a.json --vary loader.num_workers=1..8:x2 -o out/one");
}

// The script run as Slurm runs a task, with a program that tells what it was given.
TEST_F(JobFile, ASlurmTaskRunsTheSweepWithItsShard) {
  SweepCommand command = {echoing_program(), "sweep", "/data/my job.json", "--vary", "loader.num_workers=4,8"};
  for (const std::string& word : kNastyWords) {
    command.emplace_back("--set");
    command.push_back("name=" + word);
  }
  JobSettings settings;
  settings.shards = 12;
  settings.cpus = 2;
  const std::string script = slurm_job(command, "/results/with space\nand line", settings);
  const std::string path = write("job.sh", script);
  ASSERT_EQ(std::system(("bash -n '" + path + "'").c_str()), 0);
  ASSERT_EQ(std::system(("SLURM_ARRAY_TASK_ID=3 SLURM_CPUS_PER_TASK=2 bash '" + path + "'").c_str()), 0);
  std::vector<std::string> expected(command.begin() + 1, command.end());
  for (const char* word : {"--shard", "3/12", "--threads", "2", "-o", "/results/with space\nand line"})
    expected.emplace_back(word);
  EXPECT_EQ(words(), expected);
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --array=1-12\n"));
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --cpus-per-task=2\n"));
  // sbatch reads #SBATCH lines up to the first command.
  EXPECT_LT(script.rfind("#SBATCH --"), script.find("\nset "));
}

std::vector<YAML::Node> kubernetes(const SweepCommand& command, const std::string& scenario) {
  JobSettings settings;
  settings.name = "my-sweep";
  settings.shards = 12;
  settings.cpus = 2;
  return YAML::LoadAll(
      kubernetes_job(command, "/results/out", settings, {"registry/stallcast:1", "the-claim", scenario}));
}

TEST_F(JobFile, AKubernetesJobIsIndexed) {
  const std::string scenario = "// A comment.\n{\n  \"name\": \"job\"\n}\n";
  const auto documents = kubernetes({"stallcast", "sweep", kPodScenario}, scenario);
  ASSERT_EQ(documents.size(), 2u);
  const YAML::Node map = documents[0], job = documents[1];
  EXPECT_EQ(map["kind"].as<std::string>(), "ConfigMap");
  EXPECT_EQ(map["data"]["scenario.json"].as<std::string>(), scenario);
  EXPECT_EQ(job["apiVersion"].as<std::string>(), "batch/v1");
  EXPECT_EQ(job["kind"].as<std::string>(), "Job");
  EXPECT_EQ(job["metadata"]["name"].as<std::string>(), "my-sweep");
  EXPECT_EQ(job["spec"]["completions"].as<int>(), 12);
  EXPECT_EQ(job["spec"]["parallelism"].as<int>(), 12);
  EXPECT_EQ(job["spec"]["completionMode"].as<std::string>(), "Indexed");
  const YAML::Node pod = job["spec"]["template"]["spec"];
  EXPECT_EQ(pod["restartPolicy"].as<std::string>(), "OnFailure");
  const YAML::Node container = pod["containers"][0];
  EXPECT_EQ(container["image"].as<std::string>(), "registry/stallcast:1");
  EXPECT_EQ(container["env"][0]["name"].as<std::string>(), "STALLCAST_SHARDS");
  EXPECT_EQ(container["env"][0]["value"].as<std::string>(), "12");
  EXPECT_EQ(container["env"][0]["value"].Tag(), "!");  // in quotes: Kubernetes refuses a number here
  // What is mounted is what the volumes are.
  EXPECT_EQ(container["volumeMounts"][0]["name"].as<std::string>(), pod["volumes"][0]["name"].as<std::string>());
  EXPECT_EQ(container["volumeMounts"][1]["name"].as<std::string>(), pod["volumes"][1]["name"].as<std::string>());
  EXPECT_EQ(pod["volumes"][0]["configMap"]["name"].as<std::string>(), map["metadata"]["name"].as<std::string>());
  EXPECT_EQ(pod["volumes"][1]["persistentVolumeClaim"]["claimName"].as<std::string>(), "the-claim");
  EXPECT_EQ(container["volumeMounts"][0]["mountPath"].as<std::string>() + "/scenario.json", kPodScenario);
  EXPECT_EQ(container["volumeMounts"][1]["mountPath"].as<std::string>(), kPodResults);
}

// What Kubernetes makes of a word of a command: $$ is $, and $(NAME) would be a variable.
std::string as_kubernetes_reads(const std::string& word) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool dollar = word[i] == '$' && i + 1 < word.size();
    EXPECT_FALSE(dollar && word[i + 1] == '(') << word;
    out += word[i];
    if (dollar && word[i + 1] == '$') ++i;
  }
  return out;
}

TEST_F(JobFile, AKubernetesCommandIsTheWordsThemselves) {
  SweepCommand command = {"stallcast", "sweep"};
  command.insert(command.end(), kNastyWords.begin(), kNastyWords.end());
  for (const char* word :
       {"8", "0.5", "true", "null", "yes", "1e3", "a: b", "{}", "- x", "é", "0x10", "12:30", ".inf", "$$", "$(PATH)$"})
    command.emplace_back(word);
  const auto documents = kubernetes(command, "{}\n");
  std::vector<std::string> expected = command;
  for (const char* word : {"--threads", "2", "-o", "/results/out"}) expected.emplace_back(word);
  const YAML::Node words = documents.at(1)["spec"]["template"]["spec"]["containers"][0]["command"];
  std::vector<std::string> read;
  for (const YAML::Node& word : words) read.push_back(as_kubernetes_reads(word.as<std::string>()));
  EXPECT_EQ(read, expected);
  for (const YAML::Node& word : words) {
    const std::string text = word.as<std::string>();
    if (text == "8" || text == "true" || text == "null" || text == "12:30") {
      EXPECT_EQ(word.Tag(), "!") << text;
    }
  }
}

TEST_F(JobFile, AScenarioIsTheSameInThePod) {
  for (const std::string scenario :
       {"{}", "{}\n", "{}\n\n", "  {\n}\n", "\n{}\n", "{\r\n}\r\n", "// é \\ \" '\n{\t\"a\": \"# x: y\"  \n}\n",
        "---\n", "{\n\n\n  \"a\": 1\n\n}\n", "\t{}\n"}) {
    EXPECT_EQ(kubernetes({"stallcast"}, scenario).at(0)["data"]["scenario.json"].as<std::string>(), scenario);
  }
}

TEST_F(JobFile, NamesThatSchedulersRefuseAreRefusedHere) {
  for (const char* name : {"a", "stallcast-sweep", "9-lives"}) EXPECT_TRUE(job_name_problems(name).empty()) << name;
  for (const char* name : {"", "-a", "a-", "A", "a b", "a\n#SBATCH --uid=0", "a.b", "é"})
    EXPECT_EQ(job_name_problems(name).list().at(0).code, "bad_job_name") << name;
  EXPECT_FALSE(job_name_problems(std::string(64, 'a')).empty());
}

}  // namespace
}  // namespace stallcast
