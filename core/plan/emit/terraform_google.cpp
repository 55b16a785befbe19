#include <fmt/format.h>

#include "core/plan/emit/emit_provisioning.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;
using Order = ProvisioningOrder;

std::string network(Json& root) {
  return terraform_variable(root, "network", "VPC network of hosts and storage: projects/PROJECT/global/networks/NAME");
}

std::string google_zone(Json& root) {
  return terraform_variable(root, "zone", "Zone of hosts and storage, as in us-central1-a");
}

// The zone without its last part.
std::string region(Json& root) {
  google_zone(root);
  return "${regex(\"^(.*)-[a-z]$\", var.zone)[0]}";
}

void filestore(const Order& order, Json& root, Json& resource) {
  const bool regional = order.storage.variant == "REGIONAL" || order.storage.variant == "ENTERPRISE";
  resource["google_filestore_instance"]["data"] = {
      {"name", order.name + "-data"},
      {"tier", order.storage.variant},
      {"location", regional ? region(root) : google_zone(root)},
      {"file_shares", {{"name", "data"}, {"capacity_gb", order.storage.capacity}}},
      {"networks", Json::array({{{"network", network(root)}, {"modes", {"MODE_IPV4"}}}})}};
}

void bucket(const Order& order, Json& root, Json& resource) {
  const bool rapid = order.storage.variant == "RAPID";
  Json bucket = {{"name", terraform_variable(root, "bucket", "A bucket name that nobody has yet")},
                 {"location", region(root)},
                 {"storage_class", rapid ? "RAPID" : "STANDARD"},
                 {"uniform_bucket_level_access", true}};
  if (rapid) {
    bucket["custom_placement_config"] = {{"data_locations", {google_zone(root)}}};
    bucket["hierarchical_namespace"] = {{"enabled", true}};
  }
  resource["google_storage_bucket"]["data"] = std::move(bucket);
  if (order.storage.variant == "ANYWHERE_CACHE")
    resource["google_storage_anywhere_cache"]["data"] = {{"bucket", "${google_storage_bucket.data.name}"},
                                                         {"zone", google_zone(root)}};
}

Json disk(const Order& order, Json& root) {
  Json disk = {{"name", order.name + "-data"},
               {"zone", google_zone(root)},
               {"type", order.storage.variant},
               {"size", order.storage.capacity}};
  if (order.storage.iops > 0) disk["provisioned_iops"] = order.storage.iops;
  if (order.storage.throughput_mibs > 0) disk["provisioned_throughput"] = order.storage.throughput_mibs;
  return disk;
}

void google_storage(const Order& order, Json& root, Json& resource) {
  const std::string name = order.name + "-data";
  switch (order.storage.service) {
    case StorageService::kParallelstore:
      resource["google_parallelstore_instance"]["data"] = {{"instance_id", name},
                                                           {"location", google_zone(root)},
                                                           {"capacity_gib", fmt::format("{}", order.storage.capacity)},
                                                           {"network", network(root)}};
      return;
    case StorageService::kFilestore:
      return filestore(order, root, resource);
    case StorageService::kManagedLustre:
      resource["google_lustre_instance"]["data"] = {
          {"instance_id", name},
          {"location", google_zone(root)},
          {"filesystem", "data"},
          {"capacity_gib", fmt::format("{}", order.storage.capacity)},
          {"per_unit_storage_throughput", fmt::format("{}", order.storage.throughput_per_unit)},
          {"network", network(root)}};
      return;
    case StorageService::kCloudStorage:
      return bucket(order, root, resource);
    case StorageService::kDiskPerNode: {
      if (order.host_cloud != "gcp") return;
      Json disks = disk(order, root);
      disks["count"] = order.hosts;
      disks["name"] = name + "-${count.index}";
      resource["google_compute_disk"]["data"] = std::move(disks);
      return;
    }
    case StorageService::kSharedDisk:
      resource["google_compute_disk"]["data"] = disk(order, root);
      resource["google_compute_disk"]["data"]["//"] = "Fill it, then set access_mode to READ_ONLY_MANY and attach it.";
      return;
    default:
      return;
  }
}

void google_hosts(const Order& order, Json& root, Json& resource) {
  const std::string image = terraform_variable(root, "image", "Boot image of the hosts, with the GPU driver");
  const std::string subnet = terraform_variable(root, "subnet", "Subnet of the hosts");
  Json host = {{"count", order.hosts},
               {"name", order.name + "-${count.index}"},
               {"zone", google_zone(root)},
               {"machine_type", order.machine},
               {"boot_disk", {{"initialize_params", {{"image", image}}}}},
               {"network_interface", {{"network", network(root)}, {"subnetwork", subnet}, {"nic_type", "GVNIC"}}}};
  Json scheduling = {{"on_host_maintenance", "TERMINATE"}};
  if (order.pricing == HostPricing::kSpot)
    scheduling.update({{"provisioning_model", "SPOT"}, {"preemptible", true}, {"automatic_restart", false}});
  host["scheduling"] = std::move(scheduling);
  if (order.pricing == HostPricing::kReserved1Year || order.pricing == HostPricing::kReserved3Years) {
    const std::string reservation = terraform_variable(root, "reservation", "Reservation under the commitment");
    host["reservation_affinity"] = {
        {"type", "SPECIFIC_RESERVATION"},
        {"specific_reservation", {{"key", "compute.googleapis.com/reservation-name"}, {"values", {reservation}}}}};
  }
  for (std::int64_t ssd = 0; ssd < order.added_local_ssds; ++ssd)
    host["scratch_disk"].push_back({{"interface", "NVME"}});
  if (order.storage.service == StorageService::kDiskPerNode && order.storage.cloud == "gcp")
    host["attached_disk"] = {{"source", "${google_compute_disk.data[count.index].id}"}};
  resource["google_compute_instance"]["hosts"] = std::move(host);
}

}  // namespace

void add_google_resources(const ProvisioningOrder& order, Json& root) {
  root["terraform"]["required_providers"]["google"] = {{"source", "hashicorp/google"}};
  root["provider"]["google"] = {{"project", terraform_variable(root, "project", "Google Cloud project")}};
  if (order.storage.cloud == "gcp") google_storage(order, root, root["resource"]);
  if (order.host_cloud == "gcp") google_hosts(order, root, root["resource"]);
}

}  // namespace stallcast
