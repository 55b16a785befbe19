// How a row of the field table is made from member pointers: for the files that list the rows, and no others.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"

namespace stallcast::field_rows {

inline constexpr double kTenYears = 3650.0 * 86400.0;  // s
inline constexpr double kMostBytes = 1e18;             // in one system
inline constexpr double kMostSampleBytes = 1e15;
inline constexpr double kMostBytesPerSecond = 1e16;
inline constexpr double kMostPerSecond = 1e12;
inline constexpr double kMostCount = 1e15;

constexpr Dimension dimension_of(Seconds) { return Dimension::kTime; }
constexpr Dimension dimension_of(Bytes) { return Dimension::kBytes; }
constexpr Dimension dimension_of(BytesPerSecond) { return Dimension::kByteRate; }
constexpr Dimension dimension_of(PerSecond) { return Dimension::kRate; }
constexpr Dimension dimension_of(Usd) { return Dimension::kUsd; }
constexpr Dimension dimension_of(UsdPerHour) { return Dimension::kUsdPerHour; }
constexpr Dimension dimension_of(Flops) { return Dimension::kFlops; }
constexpr Dimension dimension_of(FlopsPerSecond) { return Dimension::kFlopRate; }

// The member that a path of member pointers leads to: path <&Scenario::loader, &LoaderSpec::num_workers> of a scenario
// `s` is s.loader.num_workers. (The expression folds over `.*`; clang-format would run its dots together.)
// clang-format off
template <auto... Path>
auto& member(Scenario& s) { return (s .* ... .* Path); }
template <auto... Path>
const auto& member(const Scenario& s) { return (s .* ... .* Path); }
// clang-format on
template <auto... Path>
using MemberOf = std::remove_cvref_t<decltype(member<Path...>(std::declval<Scenario&>()))>;

inline Field row(std::string pointer, FieldKind kind, std::string help) {
  Field field;
  const std::size_t slash = pointer.rfind('/');
  field.group = slash == 0 ? "" : pointer.substr(1, slash - 1);
  field.pointer = std::move(pointer);
  field.kind = kind;
  field.help = std::move(help);
  return field;
}

// For members that FieldValue holds as they are.
template <auto... Path>
Field plain(std::string pointer, FieldKind kind, std::string help) {
  Field field = row(std::move(pointer), kind, std::move(help));
  field.get = [](const Scenario& s) { return FieldValue(std::in_place_type<MemberOf<Path...>>, member<Path...>(s)); };
  field.set = [](Scenario& s, const FieldValue& value) { member<Path...>(s) = std::get<MemberOf<Path...>>(value); };
  return field;
}

template <auto... Path>
Field text(std::string pointer, std::string help) {
  return plain<Path...>(std::move(pointer), FieldKind::kText, std::move(help));
}

template <auto... Path>
Field text_list(std::string pointer, std::string help) {
  return plain<Path...>(std::move(pointer), FieldKind::kTextList, std::move(help));
}

template <auto... Path>
Field boolean(std::string pointer, std::string help) {
  return plain<Path...>(std::move(pointer), FieldKind::kBoolean, std::move(help));
}

template <auto... Path>
Field integer(std::string pointer, double min, double max, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kInteger, std::move(help));
  field.dimension = Dimension::kCount;
  field.range = {min, max};
  return field;
}

template <auto... Path>
Field number(std::string pointer, Dimension dimension, FieldRange range, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kNumber, std::move(help));
  field.dimension = dimension;
  field.range = range;
  return field;
}

template <auto... Path>
Field distribution(std::string pointer, Dimension dimension, double max, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kDistribution, std::move(help));
  field.dimension = dimension;
  field.range = {0.0, max};
  return field;
}

template <auto... Path>
Field curve(std::string pointer, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kCurve, std::move(help));
  field.dimension = Dimension::kTime;
  field.range = {0.0, kTenYears};
  return field;
}

template <auto... Path>
Field linear_cost(std::string pointer, std::string help) {
  Field field = plain<Path...>(std::move(pointer), FieldKind::kLinearCost, std::move(help));
  field.dimension = Dimension::kTime;
  field.range = {-kTenYears, kTenYears};
  return field;
}

template <auto... Path>
Field quantity(std::string pointer, double max, std::string help, std::string counted = "") {
  using Member = MemberOf<Path...>;
  Field field = row(std::move(pointer), FieldKind::kQuantity, std::move(help));
  field.dimension = dimension_of(Member());
  field.range = {0.0, max};
  field.counted = std::move(counted);
  field.get = [](const Scenario& s) { return FieldValue(member<Path...>(s).base()); };
  field.set = [](Scenario& s, const FieldValue& value) {
    member<Path...>(s) = Member::from_base(std::get<double>(value));
  };
  return field;
}

template <auto... Path>
Field choice(std::string pointer, std::vector<std::string> words, std::string help) {
  using Member = MemberOf<Path...>;
  Field field = row(std::move(pointer), FieldKind::kEnum, std::move(help));
  field.words = std::move(words);
  field.get = [](const Scenario& s) { return FieldValue(static_cast<std::int64_t>(member<Path...>(s))); };
  field.set = [](Scenario& s, const FieldValue& value) {
    member<Path...>(s) = static_cast<Member>(std::get<std::int64_t>(value));
  };
  return field;
}

// Rows of groups that do not describe the way of the data: model, checkpoints, failures, serving, cost, run, plan.
void add_model(std::vector<Field>& t);
void add_checkpoint(std::vector<Field>& t);
void add_failures(std::vector<Field>& t);
void add_serving(std::vector<Field>& t);
void add_cost(std::vector<Field>& t);
void add_run(std::vector<Field>& t);
void add_plan(std::vector<Field>& t);

}  // namespace stallcast::field_rows
