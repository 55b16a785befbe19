// What other tools' files say of a training job, as answers to the questions of `stallcast new`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/first/commented_file.h"
#include "core/first/questions.h"

namespace stallcast {

struct JobFile {
  std::string tool;                    // "Hugging Face arguments", "Slurm script", ...
  Told told;                           // what answers a question
  std::vector<CommentedValue> values;  // what is a field and no question
};

// Reads a Slurm script (#SBATCH lines, and arguments of the commands in it), arguments of the Hugging Face Trainer,
// configurations of Accelerate, DeepSpeed and Lightning (YAML or JSON), a DLIO workload (YAML), and everything that
// read_measurements() reads: records of a training run, traces, results of benchmarks. Told by the content.
// **Errors** WorldError when the file cannot be read; findings: "unknown_format" with what can be read, malformed
// YAML, and those of the readers behind.
Loaded<JobFile> read_job_file(const std::filesystem::path& path, const Catalogue& catalogue);

// The answers of `over` before those of `under`. A number of GPUs and the kind of them may come from different sides.
Told merged_answers(const Told& over, const Told& under, const Catalogue& catalogue);

}  // namespace stallcast
