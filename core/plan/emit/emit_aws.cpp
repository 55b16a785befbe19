#include <fmt/format.h>

#include "core/plan/emit/emit_provisioning.h"

namespace stallcast {
namespace {

using Order = ProvisioningOrder;

void need_subnet(ShellScript& script) {
  script.need("AWS_REGION", "the region, as in us-east-1");
  script.need("SUBNET_ID", "the subnet of hosts and storage, in one zone");
  script.need("SECURITY_GROUP_ID", "a security group that lets hosts and storage talk to each other");
}

std::string tags(const Order& order) { return fmt::format("Key=Name,Value={}-data", order.name); }

void fsx(const Order& order, ShellScript& script) {
  need_subnet(script);
  std::string lustre = "DeploymentType=" + order.storage.variant;
  if (order.storage.throughput_per_unit > 0)
    lustre += fmt::format(",PerUnitStorageThroughput={}", order.storage.throughput_per_unit);
  if (order.gpudirect && order.storage.variant == "PERSISTENT_2")
    lustre += ",EfaEnabled=true,MetadataConfiguration={Mode=AUTOMATIC}";
  script.comment({fmt::format("FSx for Lustre, {} GiB.", order.storage.capacity)});
  script.run(ShellCommand("aws fsx create-file-system")
                 .spaced_variable("--region", "AWS_REGION")
                 .raw("--file-system-type LUSTRE")
                 .raw("--file-system-type-version 2.15")
                 .raw("--storage-type SSD")
                 .spaced("--storage-capacity", fmt::format("{}", order.storage.capacity))
                 .spaced_variable("--subnet-ids", "SUBNET_ID")
                 .spaced_variable("--security-group-ids", "SECURITY_GROUP_ID")
                 .spaced("--lustre-configuration", lustre)
                 .spaced("--tags", tags(order)));
  script.comment(
      {"On every host: sudo mount -t lustre -o relatime,flock FILE_SYSTEM_DNS_NAME@tcp:/MOUNT_NAME "
       "/mnt/dataset"});
}

void efs(const Order& order, ShellScript& script) {
  need_subnet(script);
  script.comment({fmt::format("EFS, Regional, {} throughput, and its mount target in the zone of the hosts.",
                              order.storage.variant)});
  script.line("FILE_SYSTEM_ID=\"$(");
  script.run(ShellCommand("aws efs create-file-system")
                 .spaced_variable("--region", "AWS_REGION")
                 .spaced("--creation-token", order.name + "-data")
                 .raw("--performance-mode generalPurpose")
                 .spaced("--throughput-mode", order.storage.variant)
                 .spaced("--tags", tags(order))
                 .raw("--query FileSystemId --output text"));
  script.line(")\"");
  script.line(
      "until [ \"$(aws efs describe-file-systems --region \"${AWS_REGION}\" --file-system-id "
      "\"${FILE_SYSTEM_ID}\" \\\n  --query 'FileSystems[0].LifeCycleState' --output text)\" = available ]; do "
      "sleep 5; done");
  script.run(ShellCommand("aws efs create-mount-target")
                 .spaced_variable("--region", "AWS_REGION")
                 .spaced_variable("--file-system-id", "FILE_SYSTEM_ID")
                 .spaced_variable("--subnet-id", "SUBNET_ID")
                 .spaced_variable("--security-groups", "SECURITY_GROUP_ID"));
  script.comment({"On every host: sudo mount -t efs FILE_SYSTEM_ID:/ /mnt/dataset"});
}

void s3(const Order& order, ShellScript& script) {
  script.need("AWS_REGION", "the region, as in us-east-1");
  script.need("BUCKET", "a bucket name that nobody has yet");
  script.comment({"The bucket, in the region of the hosts."});
  script.line("aws s3 mb \"s3://${BUCKET}\" --region \"${AWS_REGION}\"");
  if (order.storage.client == "mount-s3") script.comment({"On every host: mount-s3 --read-only BUCKET /mnt/dataset"});
}

void s3_express(ShellScript& script) {
  script.need("AWS_REGION", "the region, as in us-east-1");
  script.need("ZONE_ID", "the id of the zone of the hosts, as in use1-az4");
  script.need("BUCKET", "a bucket name that nobody has yet, without its ending");
  script.comment({"The directory bucket, in the zone of the hosts."});
  script.run(ShellCommand("aws s3api create-bucket")
                 .spaced_variable("--region", "AWS_REGION")
                 .raw("--bucket \"${BUCKET}--${ZONE_ID}--x-s3\"")
                 .raw("--create-bucket-configuration "
                      "\"Location={Type=AvailabilityZone,Name=${ZONE_ID}},"
                      "Bucket={DataRedundancy=SingleAvailabilityZone,Type=Directory}\""));
}

void order_storage_by_aws_cli(const Order& order, ShellScript& script) {
  switch (order.storage.service) {
    case StorageService::kFsxLustre:
      return fsx(order, script);
    case StorageService::kEfs:
      return efs(order, script);
    case StorageService::kS3:
      return s3(order, script);
    case StorageService::kS3Express:
      return s3_express(script);
    default:
      return;
  }
}

// A volume of each host. The throughput of io2 follows its IOPS, and is not ordered.
std::string block_device_mapping(const Order& order) {
  std::string ebs = fmt::format("VolumeType={},VolumeSize={}", order.storage.variant, order.storage.capacity);
  if (order.storage.iops > 0) ebs += fmt::format(",Iops={}", order.storage.iops);
  if (order.storage.throughput_mibs > 0 && order.storage.variant == "gp3")
    ebs += fmt::format(",Throughput={}", order.storage.throughput_mibs);
  return fmt::format("DeviceName=/dev/sdf,Ebs={{{},DeleteOnTermination=true}}", ebs);
}

void order_hosts_by_aws_cli(const Order& order, ShellScript& script) {
  need_subnet(script);
  script.need("IMAGE_ID", "the AMI of the hosts, with the GPU driver");
  script.comment(
      {fmt::format("{} hosts. The larger machines have many EFA network cards: a launch template lists them; "
                   "one interface is enough for storage.",
                   order.hosts)});
  ShellCommand create("aws ec2 run-instances");
  create.spaced_variable("--region", "AWS_REGION")
      .spaced_variable("--image-id", "IMAGE_ID")
      .spaced("--instance-type", order.machine)
      .spaced("--count", fmt::format("{}", order.hosts))
      .spaced_variable("--subnet-id", "SUBNET_ID")
      .spaced_variable("--security-group-ids", "SECURITY_GROUP_ID")
      .spaced("--tag-specifications", fmt::format("ResourceType=instance,Tags=[{{Key=Name,Value={}}}]", order.name));
  if (order.storage.service == StorageService::kDiskPerNode && order.storage.cloud == "aws")
    create.spaced("--block-device-mappings", block_device_mapping(order));
  if (order.pricing == HostPricing::kSpot) create.raw("--instance-market-options MarketType=spot");
  if (order.pricing == HostPricing::kReserved1Year || order.pricing == HostPricing::kReserved3Years) {
    script.need("CAPACITY_RESERVATION_ID",
                "the capacity reservation that the savings plan or reserved instances cover");
    create.raw(
        "--capacity-reservation-specification "
        "\"CapacityReservationTarget={CapacityReservationId=${CAPACITY_RESERVATION_ID}}\"");
  }
  script.run(create);
}

}  // namespace

void add_aws(const ProvisioningOrder& order, ShellScript& script) {
  if (order.storage.cloud == "aws") order_storage_by_aws_cli(order, script);
  if (order.host_cloud == "aws") order_hosts_by_aws_cli(order, script);
}

}  // namespace stallcast
