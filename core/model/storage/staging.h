// What happens to the dataset before the first step: its names are listed, and it is copied to where the job reads it.
#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace stallcast {

// The dataset as files. Records are taken to be in one large file.
struct DatasetFiles {
  double files = 0.0;
  double bytes = 0.0;
  double file_bytes = 0.0;  // of one file, on average
};
DatasetFiles dataset_files(const Scenario& scenario);

struct Listing {
  double requests = 0.0;
  double time_s = 0.0;
};
// One rank reads the names of `files` files, page after page.
// **Model** requests = ceil(files / list_page_size), one after the other, list_latency each; none when the page size is
// 0
Listing list_files(const StorageSpec& storage, double files);

// Copies that the job needs: one, or one in each machine where storage is the machine's own.
double copies_of_dataset(const Scenario& scenario);

// Those copies, from origin to storage, with nothing else going on.
struct ImportTime {
  double copy_s = 0.0;
  Listing listing;           // of the origin
  double bytes_per_s = 0.0;  // reached; 0 when the copy takes no time
  // What sets copy_s: "origin_read_bandwidth", "storage_write_bandwidth", "nic_bandwidth", "staging_bandwidth",
  // "files_per_s", "origin_requests", "storage_requests", or "" when nothing does.
  std::string limit;
  double read_requests = 0.0;  // of the origin, by all copies
  double write_requests = 0.0;
  double counted_files = 0.0;  // of one copy: those that files_per_s counts
  DatasetFiles dataset;
};
// **Model** copy = max(bytes / origin read, bytes / storage write, bytes / service ceiling, files / files_per_s for
// files up to small_file, requests / request rates): all are used at once and the slowest sets the time. A request
// moves a file, or 8 MiB of a larger one (multipart_chunksize of the AWS CLI, S3 configuration). Where storage
// is the machine's own, the origin answers all machines, and each writes to its own, through its own network card.
// **Checked by** tests/core/model/staging_test.cpp
ImportTime bulk_import(const Scenario& scenario);

}  // namespace stallcast
