#include "core/plan/emit/emit_provisioning.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLocalSsdGiB = 375.0;

// Azure's names with the letters it prints.
std::string machine_name(const InstanceRecord& record) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> azure = {
      {{"standard_nd96asr_v4", "Standard_ND96asr_v4"},
       {"standard_nd96amsr_a100_v4", "Standard_ND96amsr_A100_v4"},
       {"standard_nd96isr_h100_v5", "Standard_ND96isr_H100_v5"}}};
  for (const auto& [name, spelled] : azure)
    if (name == record.name) return std::string(spelled);
  return record.name;
}

bool known_cloud(const std::string& provider) { return provider == "gcp" || provider == "aws" || provider == "azure"; }

std::string cloud_title(std::string_view cloud) {
  return cloud == "gcp" ? "Google Cloud" : cloud == "aws" ? "AWS" : cloud == "azure" ? "Azure" : std::string(cloud);
}

}  // namespace

ProvisioningOrder provisioning_order(const ResolvedScenario& resolved) {
  const Scenario& s = resolved.scenario;
  ProvisioningOrder order;
  order.title = s.name;
  order.name = resource_name(s.name);
  order.storage = storage_order(s.storage);
  order.hosts = s.cluster.nodes;
  order.pricing = s.cost.pricing;
  order.gpudirect = s.loader.gpudirect;
  if (resolved.records.instance && known_cloud(resolved.records.instance->provider)) {
    const InstanceRecord& instance = *resolved.records.instance;
    order.machine = machine_name(instance);
    order.host_cloud = instance.provider;
    if (instance.provider == "gcp" && !instance.local_storage)
      order.added_local_ssds =
          static_cast<std::int64_t>(std::ceil(s.cluster.local_storage_per_node.base() / kGiB / kLocalSsdGiB));
  }
  order.same_cloud = order.storage.cloud.empty() || order.host_cloud.empty() || order.storage.cloud == order.host_cloud;
  return order;
}

std::vector<std::string> about_order(const ProvisioningOrder& order) {
  std::vector<std::string> about = {fmt::format("Storage and hosts of \"{}\", as simulated by stallcast.", order.title),
                                    "Running it costs money. Read it first; delete what it made when the job is done."};
  if (!order.same_cloud)
    about.push_back(fmt::format("The storage is at {} and the hosts are at {}: connect their networks first.",
                                cloud_title(order.storage.cloud), cloud_title(order.host_cloud)));
  return about;
}

std::optional<EmittedFile> provisioning_script(const ResolvedScenario& resolved, std::string_view cloud) {
  const ProvisioningOrder order = provisioning_order(resolved);
  if (!order.uses(cloud)) return std::nullopt;
  ShellScript script(about_order(order));
  if (cloud == "gcp") add_gcloud(order, script);
  if (cloud == "aws") add_aws(order, script);
  if (cloud == "azure") add_azure(order, script);
  if (const std::vector<std::string> gaps = provisioning_gaps(resolved); !gaps.empty()) script.comment(gaps);
  return EmittedFile{fmt::format("provision-{}.sh", cloud == "gcp" ? "gcloud" : cloud), script.text()};
}

std::string terraform_variable(Json& root, const std::string& name, const std::string& meaning) {
  root["variable"][name] = {{"type", "string"}, {"description", meaning}};
  return fmt::format("${{var.{}}}", name);
}

std::optional<EmittedFile> terraform_file(const ResolvedScenario& resolved) {
  const ProvisioningOrder order = provisioning_order(resolved);
  if (order.storage.cloud.empty() && order.host_cloud.empty()) return std::nullopt;
  Json root;
  std::vector<std::string> lines = about_order(order);
  for (const std::string& gap : provisioning_gaps(resolved)) lines.push_back(gap);
  std::string about;
  for (const std::string& line : lines) about += (about.empty() ? "" : " ") + comment_text(line);
  root["//"] = terraform_text(about);
  root["terraform"]["required_providers"] = Json::object();
  root["variable"] = Json::object();
  if (order.uses("gcp")) add_google_resources(order, root);
  if (order.uses("aws")) add_aws_resources(order, root);
  if (order.uses("azure")) add_azure_resources(order, root);
  return EmittedFile{"main.tf.json", root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"};
}

std::vector<std::string> provisioning_gaps(const ResolvedScenario& resolved) {
  const Scenario& s = resolved.scenario;
  const ProvisioningOrder order = provisioning_order(resolved);
  std::vector<std::string> gaps;
  if (order.host_cloud.empty())
    gaps.emplace_back(
        "The hosts are no machine type of a cloud that is known here: there is nothing to order. Compare "
        "cores, memory and network of your hosts with the scenario's /cluster.");
  if (order.storage.service == StorageService::kInMachine) {
    gaps.emplace_back("The storage comes with the hosts: format it, mount it, and copy the dataset to it.");
  } else if (order.storage.service == StorageService::kNone) {
    gaps.push_back(
        fmt::format("{} is not ordered from a cloud: mount your own, then let fio and stallcast probe say whether it "
                    "delivers what the scenario assumes.",
                    s.storage.tier.empty() ? "The storage described in the scenario"
                                           : "Storage tier \"" + comment_text(s.storage.tier) + "\""));
  }
  if (resolved.records.origin)
    gaps.push_back(fmt::format("The dataset is staged from \"{}\", which is taken to exist.",
                               comment_text(resolved.records.origin->name)));
  return gaps;
}

std::optional<EmittedFile> gcsfuse_file(const ResolvedScenario& resolved) {
  const StorageOrder storage = storage_order(resolved.scenario.storage);
  if (!storage.client.starts_with("gcsfuse")) return std::nullopt;
  std::string text = comment_lines({"gcsfuse --config-file gcsfuse.yaml BUCKET MOUNT_POINT",
                                    fmt::format("Cloud Storage FUSE for \"{}\".", resolved.scenario.name)});
  text += "implicit-dirs: true\nmetadata-cache:\n  ttl-secs: -1\n";
  if (storage.client != "gcsfuse_cache") return EmittedFile{"gcsfuse.yaml", text};
  const Bytes capacity = resolved.scenario.node_cache.capacity;
  const auto mib = static_cast<std::int64_t>(capacity.base() / 1048576.0);
  text += "# The file cache is on the local SSDs of the host: mount them there first.\n";
  text += "cache-dir: /mnt/disks/local-ssd/gcsfuse\nfile-cache:\n";
  text += fmt::format("  max-size-mb: {}\n", mib > 0 ? mib : -1);
  text += "  cache-file-for-range-read: true\n  enable-parallel-downloads: true\n";
  return EmittedFile{"gcsfuse.yaml", text};
}

}  // namespace stallcast
