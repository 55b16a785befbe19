// The jobs in fio's JSON, each with the operating point of storage that it stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/calibrate/read/reader_tools.h"
#include "core/probe/disk/read_point.h"

namespace stallcast {

// One entry of "jobs", with pointers into the file's JSON.
struct FioJob {
  std::string name, pointer;
  std::int64_t group = 0;
  const nlohmann::ordered_json* all = nullptr;
  const nlohmann::ordered_json* read = nullptr;
  const nlohmann::ordered_json* options = nullptr;
  const nlohmann::ordered_json* global = nullptr;

  // An option of the job, or else of all; fio writes every value as text.
  std::string option(std::initializer_list<const char*> names, const std::string& otherwise = "") const;
};

// The entries of a file, or of the clients that ran it (fio --client). `root` must outlive them.
// **Errors** findings "missing_key", "wrong_type", "out_of_range"
std::vector<FioJob> fio_jobs(const nlohmann::ordered_json& root, ReaderFindings& problems);

// Why a job's reads are no operating point of reads alone; "" when they are.
std::string why_no_point(const FioJob& job);

// What of a job makes the operating point; jobs of a group must agree on it.
std::string operating_kind(const FioJob& job);

// The point of a job that has `entries` entries of its name in its group: an entry is one thread of several, or all
// numjobs of them with --group_reporting.
// **Errors** findings as of read_fio_json
std::optional<ReadPoint> point_of(const FioJob& job, std::size_t entries, ReaderFindings& problems);

}  // namespace stallcast
