#include "cli/options/sweep_job.h"

#include <filesystem>

#include "cli/shell/output.h"
#include "core/diagnostics/json_input.h"
#include "core/result/program_version.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestConfigMap = std::size_t{1} << 20;  // bytes, of Kubernetes

std::string absolute(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

std::string slurm(const SweepCommandOptions& options) {
  const std::string program =
      options.job.program.empty() ? fs::read_symlink("/proc/self/exe").string() : options.job.program;
  std::vector<std::string> overlays;
  for (const std::string& overlay : options.input.catalogue.overlays) overlays.push_back(absolute(overlay));
  return slurm_job(sweep_command(options, program, absolute(options.input.scenario_path), overlays, true),
                   absolute(options.directory), options.job.settings);
}

Finding overlays_in_image() {
  Finding finding;
  finding.code = "not_in_image";
  finding.file = "--catalogue";
  finding.got = "an overlay";
  finding.allowed = "the catalogue of the image, for a Kubernetes job";
  finding.fix = "put the overlay into the image and name it there in STALLCAST_CATALOGUE";
  return finding;
}

Loaded<std::string> kubernetes(const SweepCommandOptions& options) {
  Loaded<std::string> scenario = read_text_file(options.input.scenario_path, kLargestConfigMap);
  if (!options.input.catalogue.overlays.empty()) scenario.findings.add(overlays_in_image());
  if (!scenario.ok()) return scenario;
  const std::string program = options.job.program.empty() ? "stallcast" : options.job.program;
  const std::string folder = fs::path(absolute(options.directory + "/.")).parent_path().filename().string();
  KubernetesSettings settings;
  settings.image = options.job.image.empty() ? "stallcast:" + std::string(program_version()) : options.job.image;
  settings.claim = options.job.claim;
  settings.scenario = std::move(*scenario.value);
  if (!settings.scenario.ends_with('\n')) settings.scenario += '\n';  // so that YAML has it line by line
  scenario.value = kubernetes_job(sweep_command(options, program, kPodScenario, {}, true),
                                  std::string(kPodResults) + "/" + folder, options.job.settings, settings);
  return scenario;
}

}  // namespace

int emit_sweep_job(const SweepCommandOptions& options, const Environment& environment) {
  require_place_for(options.job.path);
  Findings findings = job_name_problems(options.job.settings.name);
  Loaded<std::string> text;
  if (options.job.scheduler == "slurm") {
    text.value = slurm(options);
  } else {
    text = kubernetes(options);
  }
  findings.append(text.findings);
  print_findings(findings, environment.err);
  if (findings.has_errors()) return kExitBadInput;
  deliver(*text.value, options.job.path, environment);
  return kExitFine;
}

}  // namespace stallcast
