#include "core/plan/emit/job_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <regex>

#include "core/plan/sweep/shard.h"
#include "core/plan/sweep/shell_words.h"

namespace stallcast {
namespace {

constexpr std::size_t kLongestName = 63 - 9;  // Kubernetes adds "-" and an index of up to 8 digits to the names of pods

// Words of a command in lines of their own, which a person can change one by one.
std::string in_lines(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    // An option begins a line, with its value beside it.
    const bool begins = word.starts_with("-") && !out.empty();
    out += (out.empty() ? "" : begins ? " \\\n  " : " ") + shell_word(word);
  }
  return out;
}

// The command in a comment, which a line feed in a name must not end.
std::string in_comment(const std::vector<std::string>& words) {
  std::string out = shell_command(words);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return out;
}

YAML::Node variable(const std::string& name, const std::string& value) {
  YAML::Node node;
  node["name"] = name;
  node["value"] = value;
  return node;
}

YAML::Node mount(const std::string& name, const std::string& path) {
  YAML::Node node;
  node["name"] = name;
  node["mountPath"] = path;
  return node;
}

YAML::Node volumes(const JobSettings& settings, const KubernetesSettings& kubernetes) {
  YAML::Node scenario;
  scenario["name"] = "scenario";
  scenario["configMap"]["name"] = settings.name;
  YAML::Node results;
  results["name"] = "results";
  results["persistentVolumeClaim"]["claimName"] = kubernetes.claim;
  YAML::Node list;
  list.push_back(scenario);
  list.push_back(results);
  return list;
}

// Kubernetes replaces $(NAME) in the words of a command, and takes $$ for $.
std::string pod_word(const std::string& word) {
  std::string out;
  for (const char c : word) out.append(c == '$' ? 2 : 1, c);
  return out;
}

YAML::Node container(const SweepCommand& command, const std::string& directory, const JobSettings& settings,
                     const KubernetesSettings& kubernetes) {
  YAML::Node node;
  node["name"] = "sweep";
  node["image"] = kubernetes.image;
  SweepCommand words = command;
  for (const std::string& word :
       {std::string("--threads"), std::to_string(settings.cpus), std::string("-o"), directory})
    words.push_back(word);
  for (const std::string& word : words) node["command"].push_back(pod_word(word));
  node["env"].push_back(variable(kShardsVariable, std::to_string(settings.shards)));
  node["resources"]["requests"]["cpu"] = std::to_string(settings.cpus);
  node["resources"]["requests"]["memory"] = "512Mi";
  node["volumeMounts"].push_back(mount("scenario", "/scenario"));
  node["volumeMounts"].push_back(mount("results", kPodResults));
  return node;
}

YAML::Node head(const char* version, const char* kind, const JobSettings& settings) {
  YAML::Node node;
  node["apiVersion"] = version;
  node["kind"] = kind;
  node["metadata"]["name"] = settings.name;
  return node;
}

// Read back as text by every reader of YAML, without quotes.
bool is_plain(const std::string& text) {
  static const std::regex kWord("(--)?[A-Za-z/][A-Za-z0-9/._-]*");
  static const std::regex kNotText("true|false|yes|no|on|off|null|y|n", std::regex::icase);
  return std::regex_match(text, kWord) && !std::regex_match(text, kNotText);
}

// Several lines that stay as they are when they are indented.
bool is_literal(const std::string& text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t'; };
  return text.size() > 1 && text.find_first_of(" \t\n") != 0 && text.ends_with('\n') && !text.ends_with("\n\n") &&
         std::none_of(text.begin(), text.end(), control);
}

void emit_text(YAML::Emitter& out, const std::string& text) {
  if (is_literal(text)) {
    out << YAML::Literal << text;
  } else if (is_plain(text)) {
    out << text;
  } else {
    out << YAML::DoubleQuoted << text;
  }
}

constexpr const char* kNumberTag = "!number";

void emit(YAML::Emitter& out, const YAML::Node& node) {
  if (node.IsMap()) {
    out << YAML::BeginMap;
    for (const auto& member : node) {
      out << YAML::Key << member.first.as<std::string>() << YAML::Value;
      emit(out, member.second);
    }
    out << YAML::EndMap;
  } else if (node.IsSequence()) {
    out << YAML::BeginSeq;
    for (const YAML::Node& item : node) emit(out, item);
    out << YAML::EndSeq;
  } else if (node.Tag() == kNumberTag) {
    out << node.as<std::int64_t>();
  } else {
    emit_text(out, node.as<std::string>());
  }
}

YAML::Node number(std::int64_t value) {
  YAML::Node node(value);
  node.SetTag(kNumberTag);
  return node;
}

}  // namespace

std::string slurm_job(const SweepCommand& command, const std::string& directory, const JobSettings& settings) {
  return fmt::format(R"(#!/bin/bash
# A sweep in {shards} shards. When all have ended:
#   {merge}
# which names a shard that is missing; `sbatch --array=I` with this file computes shard I again.
# Where the cluster needs a partition, an account or a time limit, add lines like
#   #SBATCH --partition=NAME
#SBATCH --job-name={name}
#SBATCH --array=1-{shards}
#SBATCH --cpus-per-task={cpus}
set -euo pipefail
exec {sweep} \
  --shard "$SLURM_ARRAY_TASK_ID/{shards}" \
  --threads "$SLURM_CPUS_PER_TASK" \
  -o {directory}
)",
                     fmt::arg("shards", settings.shards),
                     fmt::arg("merge", in_comment({command.front(), "merge", directory})),
                     fmt::arg("name", settings.name), fmt::arg("cpus", settings.cpus),
                     fmt::arg("sweep", in_lines(command)), fmt::arg("directory", shell_word(directory)));
}

std::string kubernetes_job(const SweepCommand& command, const std::string& directory, const JobSettings& settings,
                           const KubernetesSettings& kubernetes) {
  YAML::Node map = head("v1", "ConfigMap", settings);
  map["data"]["scenario.json"] = kubernetes.scenario;
  YAML::Node job = head("batch/v1", "Job", settings);
  YAML::Node spec = job["spec"];
  spec["completions"] = number(settings.shards);
  spec["parallelism"] = number(settings.shards);
  spec["completionMode"] = "Indexed";
  spec["backoffLimit"] = number(3 * settings.shards);
  YAML::Node pod = spec["template"]["spec"];
  pod["restartPolicy"] = "OnFailure";
  pod["containers"].push_back(container(command, directory, settings, kubernetes));
  pod["volumes"] = volumes(settings, kubernetes);

  YAML::Emitter out;
  out << YAML::Comment(
      fmt::format("A sweep in {} shards, all at once. When all have ended, in a pod that has the claim:\n"
                  "  {}\nwhich names a shard that is missing.",
                  settings.shards, in_comment({command.front(), "merge", directory})));
  out << YAML::BeginDoc;
  emit(out, map);
  out << YAML::BeginDoc;
  emit(out, job);
  return std::string(out.c_str()) + "\n";
}

Findings job_name_problems(const std::string& name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  Findings findings;
  if (!name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), fits) &&
      name.front() != '-' && name.back() != '-')
    return findings;
  Finding finding;
  finding.code = "bad_job_name";
  finding.file = "--job-name";
  finding.got = name;
  finding.allowed = fmt::format("up to {} of a-z, 0-9 and -, the last not at either end", kLongestName);
  findings.add(std::move(finding));
  return findings;
}

}  // namespace stallcast
