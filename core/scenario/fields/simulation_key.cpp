#include "core/scenario/fields/simulation_key.h"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/scenario/fields/field_table.h"

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

// Appends values so that no two lists of values of the same kinds look alike.
class Key {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void add(Number value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    bytes_.append(bytes, sizeof(value));
  }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  void add(const Distribution& d) {
    add(d.kind);
    for (const double value : {d.mean, d.sd, d.sigma, d.shape, d.low, d.high, d.fast, d.slow, d.slow_probability})
      add(value);
    add(d.quantiles);
  }
  void add(const CurvePoint& point) {
    add(point.gap.base());
    add(point.time.base());
  }
  void add(const LinearCost& cost) {
    add(cost.base.base());
    add(cost.per_worker.base());
  }
  template <class Item>
  void add(const std::vector<Item>& items) {
    add(items.size());
    for (const Item& item : items) add(item);
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

std::string simulation_key(const Scenario& scenario) {
  static const std::vector<const Field*> kFields = deciding_fields();
  Key key;
  for (const Field* field : kFields) std::visit([&key](const auto& value) { key.add(value); }, field->get(scenario));
  return key.take();
}

}  // namespace stallcast
