
#include "core/plan/emit/emit_provisioning.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;
using Order = ProvisioningOrder;

std::string aws_subnet(Json& root) {
  return terraform_variable(root, "subnet_id", "Subnet of hosts and storage, in one zone");
}

std::string group(Json& root) {
  return terraform_variable(root, "security_group_id", "Security group that lets hosts and storage talk to each other");
}

std::string bucket_name(Json& root) {
  return terraform_variable(root, "bucket", "A bucket name that nobody has yet, without an ending");
}

Json name_tag(const std::string& name) { return {{"Name", name}}; }

void aws_storage(const Order& order, Json& root, Json& resource) {
  switch (order.storage.service) {
    case StorageService::kFsxLustre: {
      Json fsx = {{"storage_capacity", order.storage.capacity}, {"storage_type", "SSD"},
                  {"deployment_type", order.storage.variant},   {"file_system_type_version", "2.15"},
                  {"subnet_ids", {aws_subnet(root)}},           {"security_group_ids", {group(root)}},
                  {"tags", name_tag(order.name + "-data")}};
      if (order.storage.throughput_per_unit > 0) fsx["per_unit_storage_throughput"] = order.storage.throughput_per_unit;
      if (order.gpudirect && order.storage.variant == "PERSISTENT_2") {
        fsx["efa_enabled"] = true;
        fsx["metadata_configuration"] = {{"mode", "AUTOMATIC"}};
      }
      resource["aws_fsx_lustre_file_system"]["data"] = std::move(fsx);
      return;
    }
    case StorageService::kEfs:
      resource["aws_efs_file_system"]["data"] = {{"creation_token", order.name + "-data"},
                                                 {"performance_mode", "generalPurpose"},
                                                 {"throughput_mode", order.storage.variant},
                                                 {"tags", name_tag(order.name + "-data")}};
      resource["aws_efs_mount_target"]["data"] = {{"file_system_id", "${aws_efs_file_system.data.id}"},
                                                  {"subnet_id", aws_subnet(root)},
                                                  {"security_groups", {group(root)}}};
      return;
    case StorageService::kS3:
      resource["aws_s3_bucket"]["data"] = {{"bucket", bucket_name(root)}};
      return;
    case StorageService::kS3Express: {
      const std::string zone = terraform_variable(root, "zone_id", "Id of the hosts' zone, as in use1-az4");
      resource["aws_s3_directory_bucket"]["data"] = {{"bucket", bucket_name(root) + "--" + zone + "--x-s3"},
                                                     {"location", {{"name", zone}, {"type", "AvailabilityZone"}}}};
      return;
    }
    default:
      return;
  }
}

Json block_device(const Order& order) {
  Json volume = {
      {"device_name", "/dev/sdf"}, {"volume_type", order.storage.variant}, {"volume_size", order.storage.capacity}};
  if (order.storage.iops > 0) volume["iops"] = order.storage.iops;
  if (order.storage.throughput_mibs > 0 && order.storage.variant == "gp3")
    volume["throughput"] = order.storage.throughput_mibs;
  return volume;
}

void aws_hosts(const Order& order, Json& root, Json& resource) {
  Json host = {{"count", order.hosts},
               {"ami", terraform_variable(root, "image_id", "AMI of the hosts, with the GPU driver")},
               {"instance_type", order.machine},
               {"subnet_id", aws_subnet(root)},
               {"vpc_security_group_ids", {group(root)}},
               {"tags", name_tag(order.name + "-${count.index}")}};
  if (order.storage.service == StorageService::kDiskPerNode && order.storage.cloud == "aws")
    host["ebs_block_device"] = Json::array({block_device(order)});
  if (order.pricing == HostPricing::kSpot) host["instance_market_options"] = {{"market_type", "spot"}};
  if (order.pricing == HostPricing::kReserved1Year || order.pricing == HostPricing::kReserved3Years) {
    const std::string reservation =
        terraform_variable(root, "capacity_reservation_id", "Capacity reservation that the commitment covers");
    host["capacity_reservation_specification"] = {
        {"capacity_reservation_target", {{"capacity_reservation_id", reservation}}}};
  }
  resource["aws_instance"]["hosts"] = std::move(host);
}

}  // namespace

void add_aws_resources(const ProvisioningOrder& order, Json& root) {
  root["terraform"]["required_providers"]["aws"] = {{"source", "hashicorp/aws"}};
  root["provider"]["aws"] = {{"region", terraform_variable(root, "region", "AWS region, as in us-east-1")}};
  if (order.storage.cloud == "aws") aws_storage(order, root, root["resource"]);
  if (order.host_cloud == "aws") aws_hosts(order, root, root["resource"]);
}

}  // namespace stallcast
