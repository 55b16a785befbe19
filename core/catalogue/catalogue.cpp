#include "core/catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/catalogue/contradictions.h"
#include "core/catalogue/match_record.h"
#include "core/catalogue/read_records.h"
#include "core/catalogue/records/overlay.h"
#include "core/diagnostics/json_input.h"
#include "core/units/content_hash.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Kind {
  const char* name;
  const char* folder;
};
constexpr std::array<Kind, 9> kKinds = {{{"gpu", "gpus"},
                                         {"cpu", "cpus"},
                                         {"instance", "instances"},
                                         {"tier", "tiers"},
                                         {"workload", "workloads"},
                                         {"loader", "loaders"},
                                         {"format", "formats"},
                                         {"checkpointer", "checkpointers"},
                                         {"collective", "collectives"}}};

// The .json files of a folder, in the order of their names. A folder that is not there has none.
std::vector<fs::path> record_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  const bool is_there = fs::exists(folder, problem);
  if (!is_there && !problem) return files;
  fs::directory_iterator it;
  if (!problem) it = fs::directory_iterator(folder, problem);
  for (; !problem && it != fs::directory_iterator(); it.increment(problem)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  if (problem) throw WorldError(fmt::format("cannot list {}: {}", folder.string(), problem.message()));
  std::sort(files.begin(), files.end());
  return files;
}

// A record's file, read but not yet understood.
struct Document {
  std::string name;  // as the file is called
  std::string file;
  Json json;
};

// The files of one directory, by kind.
struct Layer {
  std::string directory;
  bool is_overlay = false;
  std::map<std::string, std::vector<Document>> documents;
  std::set<std::pair<std::string, std::string>> broken;  // kind and name of what is no JSON object
};

class LayerReader {
 public:
  LayerReader(const fs::path& directory, bool is_overlay, ContentHash& hash, Findings& findings)
      : hash_(hash), findings_(findings) {
    layer_.directory = directory.string();
    layer_.is_overlay = is_overlay;
    std::error_code problem;
    if (!fs::is_directory(directory, problem)) {
      const std::string why = problem ? "cannot be read: " + problem.message() : "is not a directory";
      throw WorldError(
          fmt::format("cannot read the {}: {} {}", is_overlay ? "overlay" : "catalogue", directory.string(), why));
    }
    for (const Kind& kind : kKinds) {
      for (const fs::path& file : record_files(directory / kind.folder)) read(file, kind.name);
    }
    // A few records need no folders: their own "kind" says what they are.
    if (is_overlay) {
      for (const fs::path& file : record_files(directory)) read(file, "");
    }
    if (is_overlay && files_ == 0) {
      findings.add({Severity::kError, "nothing_to_overlay", directory.string(), "", "a directory without records",
                    "JSON files of records, by themselves or in folders: tiers, instances, ...", "", ""});
    }
  }

  Layer take() { return std::move(layer_); }

 private:
  void read(const fs::path& file, std::string kind) {
    ++files_;
    const std::string name = file.stem().string();
    constexpr JsonLimits limits{.max_bytes = std::size_t{4} << 20};
    const Loaded<std::string> text = read_text_file(file, limits.max_bytes);
    findings_.append(text.findings);
    if (!text.value) return void(layer_.broken.emplace(kind, name));
    // The length keeps two files apart from one that holds both.
    hash_.add(fmt::format("{}\n{}\n", kind.empty() ? name : kind + "/" + name, text.value->size()) + *text.value);
    Loaded<Json> json = parse_json_text(*text.value, file.string(), limits);
    findings_.append(json.findings);
    if (json.value && !json.value->is_object()) {
      findings_.add({Severity::kError, "wrong_type", file.string(), "", json.value->type_name(), "an object", "", ""});
      json.value.reset();
    }
    if (!json.value) return void(layer_.broken.emplace(kind, name));
    if (kind.empty()) {
      kind = kind_of(*json.value, file);
      if (kind.empty()) return;
    }
    layer_.documents[kind].push_back({name, file.string(), std::move(*json.value)});
  }

  // The kind that a file without a folder states, or "" and a finding.
  std::string kind_of(const Json& json, const fs::path& file) {
    const auto stated = json.find("kind");
    const std::string kind = stated != json.end() && stated->is_string() ? stated->get<std::string>() : "";
    const std::vector<std::string>& kinds = record_kinds();
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return kind;
    const std::string near = nearest_word(kind, kinds);
    findings_.add({Severity::kError, stated == json.end() ? "missing_key" : "not_one_of", file.string(), "/kind",
                   stated == json.end() ? "nothing" : fmt::format("\"{}\"", kind),
                   fmt::format("{}", fmt::join(kinds, ", ")),
                   near.empty() ? "" : fmt::format("did you mean \"{}\"?", near), ""});
    return "";
  }

  Layer layer_;
  ContentHash& hash_;
  Findings& findings_;
  std::size_t files_ = 0;
};

// Understands the records of one kind, layer by layer.
template <class R>
class KindLoader {
 public:
  KindLoader(std::string kind, std::map<std::string, R>& records, Findings& findings)
      : kind_(std::move(kind)), records_(records), findings_(findings) {}

  void add(const Layer& layer) {
    layer_ = &layer;
    built_.clear();
    failed_.clear();
    own_.clear();
    const auto found = layer.documents.find(kind_);
    if (found == layer.documents.end()) return;
    for (const Document& document : found->second) {
      if (const auto [twin, is_new] = own_.emplace(document.name, &document); !is_new) {
        error("repeated_record", document.file, "/name", fmt::format("\"{}\"", document.name), "one file for a record",
              "remove one of them", fmt::format("{} describes the same {}", twin->second->file, kind_));
      }
    }
    // A file that calls itself like another one is told as that, not as a misspelt name.
    for (const Document& document : found->second) {
      const std::string stated = stated_text(document.json, "name");
      const auto twin = own_.find(stated);
      if (stated == document.name || twin == own_.end()) continue;
      error("repeated_record", document.file, "/name", fmt::format("\"{}\"", stated), document.name, "",
            fmt::format("{} describes the same {}", twin->second->file, kind_));
      failed_.insert(document.name);
    }
    for (const auto& [name, document] : own_) build(*document, {});
    for (auto& [name, result] : built_) {
      records_.insert_or_assign(name, result.record);
      below_.insert_or_assign(name, std::move(result));
    }
  }

 private:
  struct Built {
    Json json;
    R record;
    Findings findings;
  };

  static std::string stated_text(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
  }

  void error(const char* code, const std::string& file, const char* pointer, std::string got, std::string allowed,
             std::string fix, std::string why) {
    findings_.add(
        {Severity::kError, code, file, pointer, std::move(got), std::move(allowed), std::move(fix), std::move(why)});
  }

  // The record of `document`, after the one that it extends; null when there is none to be had. `path` is the names
  // that led here.
  const Built* build(const Document& document, std::vector<std::string> path) {
    if (const auto done = built_.find(document.name); done != built_.end()) return &done->second;
    if (failed_.contains(document.name)) return nullptr;
    if (std::find(path.begin(), path.end(), document.name) != path.end()) {
      path.push_back(document.name);
      error("extends_itself", document.file, "/extends", fmt::format("{}", fmt::join(path, " extends ")),
            "a record that does not lead back here", "", "");
      failed_.insert(path.begin(), path.end());
      return nullptr;
    }
    path.push_back(document.name);
    if (!document.json.contains("extends")) {
      return understand(document, document.json, nullptr);
    }
    const Built* base = extended_by(document, path);
    if (base == nullptr) {
      failed_.insert(document.name);
      return nullptr;
    }
    return understand(document, extended_record(base->json, document.json), base);
  }

  const Built* extended_by(const Document& document, const std::vector<std::string>& path) {
    const std::string wanted = stated_text(document.json, "extends");
    if (const auto own = own_.find(wanted); own != own_.end() && wanted != document.name) {
      return build(*own->second, path);
    }
    if (const auto found = below_.find(wanted); found != below_.end()) return &found->second;
    if (layer_->broken.count({kind_, wanted}) + layer_->broken.count({"", wanted}) != 0)
      return nullptr;  // told already
    std::set<std::string> known;
    for (const auto& entry : below_) known.insert(entry.first);
    for (const auto& entry : own_) known.insert(entry.first);
    known.erase(document.name);
    findings_.add(unknown_record(wanted, kind_, {known.begin(), known.end()}, document.file, "/extends"));
    return nullptr;
  }

  const Built* understand(const Document& document, const Json& json, const Built* base) {
    Built& built = built_[document.name];
    built.json = json;
    R& record = built.record;
    record.file = document.file;
    if (layer_->is_overlay) record.overlay = layer_->directory;
    RecordReader in(built.json, record, built.findings);
    read_record(in, record);
    in.finish();
    const auto differs = [&](const char* code, const char* pointer, const std::string& got, const std::string& wanted,
                             const char* why) {
      if (got != wanted) {
        built.findings.add({Severity::kError, code, record.file, pointer, fmt::format("\"{}\"", got), wanted, "", why});
      }
    };
    differs("wrong_kind", "/kind", record.kind, kind_, "the folder says which kind of record this is");
    differs("wrong_name", "/name", record.name, document.name, "as the file is called");
    record.name = document.name;
    record.kind = kind_;
    if (base != nullptr) note_files(record, document.json, base->record);
    if (!built.findings.has_errors()) find_contradictions(record, built.findings);
    for (const Finding& finding : built.findings.list()) {
      if (base == nullptr || !tells(base->findings, finding)) findings_.add(finding);
    }
    return &built;
  }

  // Whether the record below has been told the same.
  static bool tells(const Findings& findings, const Finding& finding) {
    return std::any_of(findings.list().begin(), findings.list().end(), [&](const Finding& told) {
      return told.code == finding.code && told.pointer == finding.pointer && told.got == finding.got;
    });
  }

  // Numbers that `change` does not state are where they were.
  static void note_files(R& record, const Json& change, const R& base) {
    for (FactRow& row : record.rows) {
      if (change.contains(Json::json_pointer(row.pointer))) continue;
      const auto old =
          std::find_if(base.rows.begin(), base.rows.end(), [&](const FactRow& r) { return r.pointer == row.pointer; });
      if (old != base.rows.end()) row.file = old->file;
    }
  }

  std::string kind_;
  std::map<std::string, R>& records_;
  Findings& findings_;
  const Layer* layer_ = nullptr;
  std::map<std::string, const Document*> own_;  // of this layer
  std::map<std::string, Built> built_;          // of this layer
  std::set<std::string> failed_;
  std::map<std::string, Built> below_;
};

template <class R>
void load_kind(const char* kind, const std::vector<Layer>& layers, std::map<std::string, R>& records,
               Findings& findings) {
  KindLoader<R> loader(kind, records, findings);
  for (const Layer& layer : layers) loader.add(layer);
}

// A finding unless `name` is exactly that of a record: what records say of each other is looked up as it is written.
template <class R>
void check_link(const std::map<std::string, R>& records, const std::string& name, const char* kind,
                const std::string& file, const std::string& pointer, Findings& findings) {
  if (records.count(name) != 0) return;
  std::vector<std::string> known;
  for (const auto& entry : records) known.push_back(entry.first);
  findings.add(unknown_record(name, kind, known, file, pointer));
}

// Names in records that lead to other records.
void check_links(const Catalogue& catalogue, Findings& findings) {
  for (const auto& [name, instance] : catalogue.instances) {
    check_link(catalogue.gpus, instance.gpu, "gpu", instance.file, "/gpu", findings);
    if (!instance.cpu.empty()) check_link(catalogue.cpus, instance.cpu, "cpu", instance.file, "/cpu", findings);
  }
  for (const auto& [name, workload] : catalogue.workloads) {
    check_link(catalogue.loaders, workload.loader, "loader", workload.file, "/loader", findings);
    if (!workload.format.empty())
      check_link(catalogue.formats, workload.format, "format", workload.file, "/format", findings);
    if (!workload.checkpointer.empty()) {
      check_link(catalogue.checkpointers, workload.checkpointer, "checkpointer", workload.file, "/checkpointer",
                 findings);
    }
    if (!workload.real_job.empty())
      check_link(catalogue.workloads, workload.real_job, "workload", workload.file, "/real_job", findings);
    for (const auto& [gpu, time] : workload.step_time) {
      check_link(catalogue.gpus, gpu, "gpu", workload.file, "/facts/step_time/" + pointer_token(gpu), findings);
    }
    for (const auto& [gpu, rate] : workload.samples_per_s) {
      check_link(catalogue.gpus, gpu, "gpu", workload.file, "/facts/samples_per_s/" + pointer_token(gpu), findings);
    }
  }
}

}  // namespace

std::string Record::label() const {
  return overlay.empty() ? fmt::format("{}/{}", kind, name) : fmt::format("{}/{} (overlay {})", kind, name, overlay);
}

const std::vector<std::string>& record_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> all;
    for (const Kind& kind : kKinds) all.emplace_back(kind.name);
    return all;
  }();
  return kinds;
}

std::string Source::text() const {
  std::string out = title;
  if (!locator.empty()) out += ", " + locator;
  if (!as_of.empty()) out += ", of " + as_of;
  if (!read.empty()) out += ", read " + read;
  return out;
}

Evidence Evidence::with_ends(double value, double low, double high) const {
  Evidence out = *this;
  out.low_factor = value > 0.0 ? low / value : 1.0;
  out.high_factor = value > 0.0 ? high / value : 1.0;
  return out;
}

std::string other_core_note(const std::string& note, double here, double there) {
  return fmt::format("{}{}a core here does {:.3g} of a Zen 4 core's work, the one that this holds for {:.3g}", note,
                     note.empty() ? "" : "; ", here, there);
}

Evidence inverse(Evidence evidence) {
  const double low = 1.0 / evidence.high_factor;
  evidence.high_factor = 1.0 / evidence.low_factor;
  evidence.low_factor = low;
  return evidence;
}

namespace {

// With costs at one end of their intervals and the rate at the other.
Seconds batch_cost_at(const BatchCost& cost, double samples, Bytes batch_bytes, double index_entries, IntervalEnd costs,
                      IntervalEnd rate) {
  Seconds sum = cost.base.at(costs);
  if (cost.per_sample) sum += cost.per_sample->at(costs) * samples;
  if (cost.rate && cost.rate->value.base() > 0.0) sum += batch_bytes / cost.rate->at(rate);
  if (cost.per_index_entry) sum += cost.per_index_entry->at(costs) * (samples * index_entries);
  return sum;
}

Seconds format_time_at(const FormatRecord& format, Bytes sample, bool augmented, IntervalEnd costs, IntervalEnd rate) {
  Seconds sum = format.decode_time.at(costs);
  if (format.decode_bandwidth && format.decode_bandwidth->value.base() > 0.0)
    sum += sample / format.decode_bandwidth->at(rate);
  if (augmented && format.augmentation_time) sum += format.augmentation_time->at(costs);
  return sum;
}

}  // namespace

Seconds BatchCost::at(double samples, Bytes batch_bytes, double index_entries) const {
  return batch_cost_at(*this, samples, batch_bytes, index_entries, nullptr, nullptr);
}

BatchCost BatchCost::on_core(double speed) const {
  BatchCost here = *this;
  const auto scale = [&](Fact<Seconds>& time) {
    if (speed <= 0.0 || time.evidence.core_speed <= 0.0) return;
    time.value = time.value * (time.evidence.core_speed / speed);
    time.evidence.note = other_core_note(time.evidence.note, speed, time.evidence.core_speed);
    time.evidence.core_speed = speed;
  };
  scale(here.base);
  if (here.per_sample) scale(*here.per_sample);
  if (here.per_index_entry) scale(*here.per_index_entry);
  return here;
}

Evidence BatchCost::evidence_at(double samples, Bytes batch_bytes, double index_entries) const {
  const auto with = [&](IntervalEnd costs, IntervalEnd of_rate) {
    return batch_cost_at(*this, samples, batch_bytes, index_entries, costs, of_rate).base();
  };
  return base.evidence.with_ends(at(samples, batch_bytes, index_entries).base(),
                                 with(&Evidence::low_factor, &Evidence::high_factor),
                                 with(&Evidence::high_factor, &Evidence::low_factor));
}

Seconds FormatRecord::decode_time_of(Bytes sample, bool augmented) const {
  return format_time_at(*this, sample, augmented, nullptr, nullptr);
}

Evidence FormatRecord::evidence_of(Bytes sample, bool augmented) const {
  const auto with = [&](IntervalEnd costs, IntervalEnd of_rate) {
    return format_time_at(*this, sample, augmented, costs, of_rate).base();
  };
  return decode_time.evidence.with_ends(decode_time_of(sample, augmented).base(),
                                        with(&Evidence::low_factor, &Evidence::high_factor),
                                        with(&Evidence::high_factor, &Evidence::low_factor));
}

std::vector<const Record*> Catalogue::records() const {
  std::vector<const Record*> all;
  const auto add = [&all](const auto& kind) {
    for (const auto& entry : kind) all.push_back(&entry.second);
  };
  add(gpus);
  add(cpus);
  add(instances);
  add(tiers);
  add(workloads);
  add(loaders);
  add(formats);
  add(checkpointers);
  add(collectives);
  return all;
}

Loaded<Catalogue> load_catalogue(const fs::path& directory, const std::vector<fs::path>& overlays) {
  Loaded<Catalogue> loaded;
  Findings& findings = loaded.findings;
  Catalogue catalogue;
  ContentHash hash;
  std::vector<Layer> layers;
  layers.push_back(LayerReader(directory, false, hash, findings).take());
  for (std::size_t i = 0; i < overlays.size(); ++i) {
    // Given twice, as by the environment and on the command line: the later place counts.
    if (std::find(overlays.begin() + static_cast<std::ptrdiff_t>(i) + 1, overlays.end(), overlays[i]) != overlays.end())
      continue;
    layers.push_back(LayerReader(overlays[i], true, hash, findings).take());
    catalogue.identity.overlays.push_back(overlays[i].string());
  }
  load_kind("gpu", layers, catalogue.gpus, findings);
  load_kind("cpu", layers, catalogue.cpus, findings);
  load_kind("instance", layers, catalogue.instances, findings);
  load_kind("tier", layers, catalogue.tiers, findings);
  load_kind("workload", layers, catalogue.workloads, findings);
  load_kind("loader", layers, catalogue.loaders, findings);
  load_kind("format", layers, catalogue.formats, findings);
  load_kind("checkpointer", layers, catalogue.checkpointers, findings);
  load_kind("collective", layers, catalogue.collectives, findings);
  check_links(catalogue, findings);
  catalogue.identity.directory = directory.string();
  catalogue.identity.hash = hash.text();
  loaded.value = std::move(catalogue);
  return loaded;
}

}  // namespace stallcast
