// Results of fio 3, the flexible I/O tester, as operating points of the storage it read.
#pragma once

#include <string>
#include <string_view>

#include "core/calibrate/read/measurements.h"

namespace stallcast {

// Does `text` hold fio's JSON (perhaps after lines of warnings), or its terse lines?
bool looks_like_fio_json(std::string_view text);
bool looks_like_fio_terse(std::string_view text);

// fio's --output-format=json or json+. A reporting group is one point: jobs of a group ran at the same time, so their
// bytes, requests and queue depths add up; groups are taken as run one after the other (stonewall), unless the file
// says when they ran.
// **Model** request_bytes = bs, or io_bytes / total_ios with a warning where they differ by over 2 %; in_flight =
// iodepth * numjobs, or numjobs for engines that wait for each request; latency = lat_ns, with percentiles of clat_ns +
// mean slat_ns where lat_ns has none.
// Groups that wrote too, ran beside others, were limited in rate, or whose jobs differed say nothing about one
// operating point: they are left out with the warning "not_one_point".
// **Errors** findings "invalid_json", "unsupported_version" (fio 2 has other units under the same names),
// "missing_key", "out_of_range", "ambiguous_jobs", "no_reads".
// **Source** fio documentation, "JSON output"; fio issues 672 (lines before JSON), 691, 1478 (absent percentiles).
Loaded<Measurements> read_fio_json(std::string_view text, const std::string& file);

// fio's terse lines, version 3. They do not say block size, depth, number of jobs or pattern, so the job's name has to,
// as in "randread_bs128k_qd8_nj4" (read | randread, bs, qd or iodepth, nj or numjobs); "direct" is a word of it too.
// **Errors** findings "unsupported_version", "wrong_row", "missing_value", "contradiction" (the name's block size is
// not that of the figures), "no_reads".
// **Source** fio documentation, "Terse output".
Loaded<Measurements> read_fio_terse(std::string_view text, const std::string& file);

}  // namespace stallcast
