#include <fmt/format.h>

#include "core/plan/emit/emit_provisioning.h"
#include "core/plan/sweep/shell_words.h"

namespace stallcast {
namespace {

using Order = ProvisioningOrder;

constexpr const char* kMountPoint = "/mnt/dataset";

void need_zone(ShellScript& script) {
  script.need("PROJECT", "the Google Cloud project");
  script.need("ZONE", "the zone of hosts and storage, as in us-central1-a");
}

void need_network(ShellScript& script) { script.need("NETWORK", "the VPC network of hosts and storage"); }

void need_region(ShellScript& script) {
  need_zone(script);
  script.derive("REGION=\"${ZONE%-*}\"");
}

void parallelstore(const Order& order, ShellScript& script) {
  need_zone(script);
  need_network(script);
  script.comment(
      {fmt::format("Parallelstore of {} TiB: the interface counts a TiB as 1000 GiB. Private services access "
                   "must be set up in the network.",
                   order.storage.capacity / 1000)});
  script.run(ShellCommand(fmt::format("gcloud parallelstore instances create {}-data", order.name))
                 .variable("--project", "PROJECT")
                 .variable("--location", "ZONE")
                 .variable("--network", "NETWORK")
                 .option("--capacity-gib", fmt::format("{}", order.storage.capacity)));
  script.comment(
      {"On every host: DAOS client, dfuse and the interception library (libioil); see Parallelstore, \"Connect "
       "from a Compute Engine VM\"."});
}

void filestore(const Order& order, ShellScript& script) {
  const bool regional = order.storage.variant == "REGIONAL" || order.storage.variant == "ENTERPRISE";
  regional ? need_region(script) : need_zone(script);
  need_network(script);
  script.comment({fmt::format("Filestore, {} GiB.", order.storage.capacity)});
  ShellCommand create(fmt::format("gcloud filestore instances create {}-data", order.name));
  create.variable("--project", "PROJECT")
      .raw(regional ? "--region=\"${REGION}\"" : "--zone=\"${ZONE}\"")
      .option("--tier", order.storage.variant)
      .raw(fmt::format("--file-share=name=data,capacity={}GB", order.storage.capacity))
      .raw("--network=name=\"${NETWORK}\"");
  script.run(create);
  script.comment(
      {fmt::format("On every host: sudo mount -t nfs -o hard,nconnect=8 FILESTORE_ADDRESS:/data {}", kMountPoint)});
}

void managed_lustre(const Order& order, ShellScript& script) {
  need_zone(script);
  need_network(script);
  script.comment({fmt::format("Managed Lustre, {} GiB with {} MB/s per TiB.", order.storage.capacity,
                              order.storage.throughput_per_unit)});
  script.run(ShellCommand(fmt::format("gcloud lustre instances create {}-data", order.name))
                 .variable("--project", "PROJECT")
                 .variable("--location", "ZONE")
                 .raw("--network=\"projects/${PROJECT}/global/networks/${NETWORK}\"")
                 .option("--filesystem", "data")
                 .option("--capacity-gib", fmt::format("{}", order.storage.capacity))
                 .option("--per-unit-storage-throughput", fmt::format("{}", order.storage.throughput_per_unit)));
  script.comment({fmt::format("On every host: sudo mount -t lustre LUSTRE_ADDRESS@tcp:/data {}", kMountPoint)});
}

void bucket(const Order& order, ShellScript& script) {
  need_region(script);
  script.need("BUCKET", "a bucket name that nobody has yet");
  ShellCommand create("gcloud storage buckets create \"gs://${BUCKET}\"");
  create.variable("--project", "PROJECT").variable("--location", "REGION");
  if (order.storage.variant == "RAPID") {
    create.variable("--placement", "ZONE").option("--default-storage-class", "RAPID");
    create.raw("--enable-hierarchical-namespace");
  } else {
    create.option("--default-storage-class", "STANDARD");
  }
  script.comment({"The bucket, in the region of the hosts."});
  script.run(create.raw("--uniform-bucket-level-access"));
  if (order.storage.variant == "ANYWHERE_CACHE") {
    script.comment({"A cache in the zone of the hosts, filled by the first read."});
    script.run(ShellCommand("gcloud storage buckets anywhere-caches create \"gs://${BUCKET}\" \"${ZONE}\"")
                   .variable("--project", "PROJECT"));
  }
  if (order.storage.client.starts_with("gcsfuse"))
    script.comment({fmt::format("On every host: gcsfuse --config-file gcsfuse.yaml BUCKET {}", kMountPoint)});
}

std::string disk_properties(const Order& order) {
  std::string text = fmt::format("type={},size={}GB", order.storage.variant, order.storage.capacity);
  if (order.storage.iops > 0) text += fmt::format(",provisioned-iops={}", order.storage.iops);
  if (order.storage.throughput_mibs > 0)
    text += fmt::format(",provisioned-throughput={}", order.storage.throughput_mibs);
  return text;
}

void shared_disk(const Order& order, ShellScript& script) {
  need_zone(script);
  script.comment({"One volume for all hosts. Fill it from a single host first, then make it read-only for many."});
  ShellCommand create(fmt::format("gcloud compute disks create {}-data", order.name));
  create.variable("--project", "PROJECT")
      .variable("--zone", "ZONE")
      .option("--type", order.storage.variant)
      .option("--size", fmt::format("{}GB", order.storage.capacity));
  if (order.storage.throughput_mibs > 0)
    create.option("--provisioned-throughput", fmt::format("{}", order.storage.throughput_mibs));
  script.run(create);
}

void attach_shared_disk(const Order& order, ShellScript& script) {
  script.comment({"Once it is filled:"});
  script.run(ShellCommand(fmt::format("gcloud compute disks update {}-data", order.name))
                 .variable("--project", "PROJECT")
                 .variable("--zone", "ZONE")
                 .option("--access-mode", "READ_ONLY_MANY"));
  script.line(fmt::format("for host in $(seq -f '{}-%04g' 1 {}); do", order.name, order.hosts));
  script.line(
      fmt::format("  gcloud compute instances attach-disk \"${{host}}\" --disk={}-data --mode=ro \\\n"
                  "    --project=\"${{PROJECT}}\" --zone=\"${{ZONE}}\"\ndone",
                  order.name));
}

void order_storage_by_gcloud(const Order& order, ShellScript& script) {
  switch (order.storage.service) {
    case StorageService::kParallelstore:
      return parallelstore(order, script);
    case StorageService::kFilestore:
      return filestore(order, script);
    case StorageService::kManagedLustre:
      return managed_lustre(order, script);
    case StorageService::kCloudStorage:
      return bucket(order, script);
    case StorageService::kSharedDisk:
      return shared_disk(order, script);
    default:
      return;
  }
}

void add_price(const Order& order, ShellCommand& create, ShellScript& script) {
  if (order.pricing == HostPricing::kSpot) create.option("--provisioning-model", "SPOT");
  if (order.pricing == HostPricing::kReserved1Year || order.pricing == HostPricing::kReserved3Years) {
    script.need("RESERVATION", "the reservation that the committed-use contract is attached to");
    create.option("--reservation-affinity", "specific").variable("--reservation", "RESERVATION");
  }
}

void order_hosts_by_gcloud(const Order& order, ShellScript& script) {
  need_zone(script);
  need_network(script);
  script.need("SUBNET", "the subnet of the hosts");
  script.need("IMAGE_PROJECT", "the project of the boot image");
  script.need("IMAGE_FAMILY", "the family of the boot image, with the GPU driver");
  script.comment(
      {fmt::format("{} hosts. GPU-to-GPU networking of the larger machines (GPUDirect-TCPX, RDMA) takes one "
                   "more --network-interface per NIC; storage uses the first.",
                   order.hosts)});
  ShellCommand create("gcloud compute instances bulk create");
  create.variable("--project", "PROJECT")
      .variable("--zone", "ZONE")
      .option("--name-pattern", order.name + "-####")
      .option("--count", fmt::format("{}", order.hosts))
      .option("--machine-type", order.machine)
      .option("--maintenance-policy", "TERMINATE")
      .raw("--network-interface=network=\"${NETWORK}\",subnet=\"${SUBNET}\",nic-type=GVNIC")
      .variable("--image-project", "IMAGE_PROJECT")
      .variable("--image-family", "IMAGE_FAMILY");
  add_price(order, create, script);
  for (std::int64_t ssd = 0; ssd < order.added_local_ssds; ++ssd) create.option("--local-ssd", "interface=nvme");
  if (order.storage.service == StorageService::kDiskPerNode && order.storage.cloud == "gcp")
    create.raw("--create-disk=" + shell_word(disk_properties(order)));
  script.run(create);
}

}  // namespace

void add_gcloud(const ProvisioningOrder& order, ShellScript& script) {
  if (order.storage.cloud == "gcp") order_storage_by_gcloud(order, script);
  if (order.host_cloud != "gcp") return;
  order_hosts_by_gcloud(order, script);
  if (order.storage.service == StorageService::kSharedDisk) attach_shared_disk(order, script);
}

}  // namespace stallcast
