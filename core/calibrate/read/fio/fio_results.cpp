#include "core/calibrate/read/fio/fio_results.h"

#include <charconv>
#include <utility>

namespace stallcast {

int fio_version(const std::string& version) {
  const std::size_t digit = version.find_first_of("0123456789");
  int major = 0;
  if (digit != std::string::npos) std::from_chars(version.data() + digit, version.data() + version.size(), major);
  return major;
}

Loaded<Measurements> fio_results(Measurements measured, ReaderFindings& problems) {
  if (measured.reads.empty() && !problems.list().has_errors()) {
    problems.error("no_reads", "", "no job that read alone", "jobs with rw=read or rw=randread");
  }
  if (problems.list().has_errors()) return {std::nullopt, problems.list()};
  return {std::move(measured), problems.list()};
}

}  // namespace stallcast
