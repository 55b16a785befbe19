#include "core/scenario/fields/simulation_key.h"

#include <vector>

#include "core/scenario/fields/field_table.h"
#include "core/units/byte_key.h"

namespace stallcast {
namespace {

// Fields that no run looks at: what it is called, what it costs, what is asked of it, and sizes whose rates are fields
// of their own.
bool decides_a_run(const Field& field) {
  if (field.group.empty()) return field.pointer == "/job";
  if (field.group == "cost" || field.group == "plan") return false;
  for (const char* name :
       {"/cluster/instance", "/workload/name", "/loader/framework", "/storage/tier", "/storage/capacity",
        "/storage/servers", "/storage/provisioned_bandwidth", "/storage/provisioned_iops", "/origin/tier",
        "/origin/capacity", "/origin/servers", "/origin/provisioned_bandwidth", "/origin/provisioned_iops"})
    if (field.pointer == name) return false;
  return true;
}

std::vector<const Field*> deciding_fields() {
  std::vector<const Field*> fields;
  for (const Field& field : field_table())
    if (decides_a_run(field)) fields.push_back(&field);
  return fields;
}

void add(ByteKey& key, const Distribution& d) {
  key.add(d.kind);
  for (const double value : {d.mean, d.sd, d.sigma, d.shape, d.low, d.high, d.fast, d.slow, d.slow_probability})
    key.add(value);
  key.add(d.quantiles);
}

void add(ByteKey& key, const std::vector<CurvePoint>& curve) {
  key.add(curve.size());
  for (const CurvePoint& point : curve) {
    key.add(point.gap.base());
    key.add(point.time.base());
  }
}

void add(ByteKey& key, const LinearCost& cost) {
  key.add(cost.base.base());
  key.add(cost.per_worker.base());
}

template <class Value>
void add(ByteKey& key, const Value& value) {
  key.add(value);
}

}  // namespace

std::string simulation_key(const Scenario& scenario) {
  static const std::vector<const Field*> kFields = deciding_fields();
  ByteKey key;
  for (const Field* field : kFields) std::visit([&key](const auto& value) { add(key, value); }, field->get(scenario));
  return key.take();
}

}  // namespace stallcast
