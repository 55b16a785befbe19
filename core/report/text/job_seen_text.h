// What was seen of a running job, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/observe/job_figures.h"
#include "core/observe/proc/job_tree.h"
#include "core/observe/seen_job.h"

namespace stallcast {

// The processes, what they do, who waits for whom, and what could not be seen.
std::string render_text(const JobTree& tree, const JobWatch& watch, const JobFigures& figures,
                        const std::vector<std::string>& missing);

// {"processes", "watch", "shares", "batch", "source", "files", "missing"}: values in base units, null where not known.
nlohmann::ordered_json job_seen_json(const JobTree& tree, const JobWatch& watch, const JobFigures& figures,
                                     const std::vector<std::string>& missing);

}  // namespace stallcast
