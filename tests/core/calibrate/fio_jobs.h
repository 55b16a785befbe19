// The fio runs of one virtual disk that are kept as a table: operating points without spread or quantiles.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/probe/disk/read_point.h"

namespace stallcast {

// Left out are jobs whose buffers were on small pages: each request then costs its pages, which is another system.
inline std::vector<ReadPoint> fio_jobs() {
  const std::string path = std::string(STALLCAST_SOURCE_DIR) + "/tests/validation/fio/jobs.csv";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const auto size_of = [](const std::string& text) {
    return std::stod(text) * (text.back() == 'm' ? 1048576.0 : 1024.0);
  };
  std::vector<ReadPoint> out;
  std::string line;
  std::getline(file, line);  // names of the columns
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.at(6) == "malloc") continue;
    ReadPoint point;
    point.from = cells.at(0);
    point.engine = "fio " + cells.at(1);
    point.pattern = cells.at(2) == "read" ? AccessPattern::kSequential : AccessPattern::kRandom;
    point.request_bytes = size_of(cells.at(3));
    point.in_flight = std::stod(cells.at(4)) * std::stod(cells.at(5));
    point.direct = true;
    point.seconds = 5.0;
    point.requests = std::stod(cells.at(8)) * point.seconds;
    point.bytes = std::stod(cells.at(7)) * point.seconds;
    out.push_back(point);
  }
  return out;
}

}  // namespace stallcast
