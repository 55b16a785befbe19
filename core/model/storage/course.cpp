#include "core/model/storage/course.h"

#include "core/scenario/run_length.h"

namespace stallcast {

Course course_of(const Scenario& s) {
  Course course;
  course.count = s.run.epochs;
  EpochCourse& epoch = course.epochs.emplace_back();
  const double steps = epoch_steps(s);
  if (steps > 0.0) epoch.batches = static_cast<std::int64_t>(steps) * s.workload.gradient_accumulation;
  if (s.loader.style == LoaderStyle::kIterable) epoch.shards = shards_per_rank(s);
  return course;
}

}  // namespace stallcast
