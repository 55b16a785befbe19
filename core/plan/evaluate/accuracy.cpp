#include "core/plan/evaluate/accuracy.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

class AccuracyReader {
 public:
  AccuracyReader(std::string file, Findings& findings) : file_(std::move(file)), findings_(findings) {}

  Accuracy read(const Json& json) {
    Accuracy out;
    out.measured = text(json, "", "measured");
    const auto figures = json.is_object() ? json.find("figures") : json.end();
    if (figures == json.end() || !figures->is_array()) {
      wrong("/figures", "", "a list of figures");
      return out;
    }
    for (std::size_t i = 0; i < figures->size(); ++i) out.figures.push_back(figure((*figures)[i], i));
    return out;
  }

 private:
  void wrong(const std::string& pointer, std::string got, std::string allowed) {
    findings_.add({Severity::kError, got.empty() ? "missing_key" : "wrong_type", file_, pointer, std::move(got),
                   std::move(allowed), "", ""});
  }

  std::string text(const Json& object, const std::string& pointer, const std::string& key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (object.is_object() && found != object.end() && found->is_string()) return found->get<std::string>();
    wrong(pointer + "/" + key, object.is_object() && found != object.end() ? found->dump() : "", "a text");
    return "";
  }

  std::optional<double> number(const Json& object, const std::string& pointer, const std::string& key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end() || found->is_null()) return std::nullopt;
    if (found->is_number()) return found->get<double>();
    wrong(pointer + "/" + key, found->dump(), "a number, or null");
    return std::nullopt;
  }

  AccuracyFigure figure(const Json& json, std::size_t i) {
    const std::string pointer = "/figures/" + std::to_string(i);
    return {text(json, pointer, "what"),   text(json, pointer, "unit"),    number(json, pointer, "median"),
            number(json, pointer, "p90"),  number(json, pointer, "worst"), text(json, pointer, "note"),
            text(json, pointer, "command")};
  }

  std::string file_;
  Findings& findings_;
};

}  // namespace

Loaded<Accuracy> load_accuracy(const std::filesystem::path& models) {
  const std::filesystem::path path = models / "validation" / "accuracy.json";
  Loaded<Json> json = read_json_file(path);
  Loaded<Accuracy> out;
  out.findings = json.findings;
  if (json.value) out.value = AccuracyReader(path.string(), out.findings).read(*json.value);
  return out;
}

}  // namespace stallcast
