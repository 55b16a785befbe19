#include "core/first/questions.h"

#include "core/catalogue/records/record.h"
#include "core/catalogue/records/records.h"
#include "core/diagnostics/finding.h"
#include "core/first/told_text.h"
#include "core/units/quantity.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

constexpr const char* kOwn = "own";

std::string told_answer(const Told& told, const char* key) {
  const auto found = told.find(key);
  return found == told.end() ? "" : found->second;
}

GpuCount told_gpus(const Told& told, const Catalogue& catalogue) {
  return read_gpu_count(told_answer(told, "gpus"), catalogue).value_or(GpuCount{});
}

// The provider of the machine that was told, or of the storage.
std::string told_provider(const Told& told, const Catalogue& catalogue) {
  if (const InstanceRecord* machine = record_of(told_answer(told, "instance"), catalogue.instances))
    return machine->provider;
  if (const TierRecord* tier = record_of(told_answer(told, "storage"), catalogue.tiers)) return tier->provider;
  return "";
}

std::vector<std::string> machines_with(const GpuRecord* gpu, const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const auto& [name, machine] : catalogue.instances)
    if (machine.status != "legacy" && (gpu == nullptr || machine.gpu == gpu->name)) names.push_back(name);
  if (names.size() > kMostNames - 1) names.resize(kMostNames - 1);
  names.emplace_back(kOwn);
  return names;
}

std::vector<std::string> storage_of(const std::string& provider, const Catalogue& catalogue) {
  const auto names = [&]() -> std::vector<std::string> {
    if (provider == "aws") return {"S3", "FSx", "s3_express_one_zone", "mountpoint_s3", "efs", "ec2_instance_store"};
    if (provider == "gcp")
      return {"GCS",          "Managed Lustre", "gcs_fuse", "gcs_fuse_file_cache", "filestore_zonal",
              "hyperdisk_ml", "gcp_local_ssd"};
    if (provider == "azure") return {"Azure Blob", "Azure Managed Lustre", "local_nvme"};
    return {"nfs", "local_nvme", "lustre", "weka", "vast", "beegfs"};
  }();
  std::vector<std::string> known;
  for (const std::string& name : names)
    if (record_of(name, catalogue.tiers) != nullptr) known.push_back(name);
  return known;
}

}  // namespace

const std::vector<Question>& questions() {
  static const std::vector<Question> all = {
      {"gpus", "NxGPU", "How many GPUs, and which: 16xH100", "How many GPUs, and which?", "16xH100, 1 x RTX 4090"},
      {"instance", "NAME", "Machine that has them: p5.48xlarge, a3-highgpu-8g, ...; own for machines of your own",
       "Which machines are they in?", "p5.48xlarge; own for machines of your own"},
      {"model", "NAME", "Model or workload: resnet50, llama3-70b, a name that states its parameters (mistral-7B)",
       "Which model do you train?", "resnet50, llama3-70b, mistral-7B"},
      {"samples", "N", "Samples of the dataset: 1.28M, or 2T tokens", "How many samples has the dataset?",
       "1.28M, or 2T tokens"},
      {"sample-size", "SIZE", "Size of a sample on storage: 150KB", "How large is a sample on storage?",
       "150KB, 4 MiB"},
      {"storage", "NAME", "Where the dataset is read from: S3, GCS, FSx, nfs, local_nvme, ...",
       "Where is the dataset read from?", "S3, GCS, Managed Lustre, nfs, local_nvme"},
      {"epochs", "N", "Passes over the dataset; 1 when not given", "How many epochs?", "90"},
      {"batch-size", "N", "Samples per GPU and step", "", "32"},
      {"step-time", "TIME", "Compute time of a step on one GPU, where the catalogue does not know the model: 250ms", "",
       "250ms"},
      {"layout", "HOW", "How samples lie in files: folder, tfrecord, webdataset, mds, parquet, hdf5", "", "webdataset"},
      {"sample-format", "NAME",
       "What a sample is stored as, which says what decoding takes: jpeg, png, flac, npz, tokens, ...", "", "jpeg"},
      {"workers", "N", "Data loader workers per GPU", "", "8"},
      {"loader", "NAME", "Data loader: pytorch, webdataset, mosaic_streaming, dali, tf_data", "", "pytorch"},
      {"capacity", "SIZE", "Provisioned capacity of the storage, where it is bought by size: 100TiB", "", "100TiB"},
      {"sequence-length", "N", "Tokens of a sample of a language model; 4096 when not given", "", "8192"},
      {"checkpoint-every", "WHEN", "How often a checkpoint is written: 30min, or 500 steps", "", "30min"},
      {"checkpoint-size", "SIZE", "Size of a checkpoint, where the model does not say it: 20GB", "", "20GB"},
      {"price-per-gpu-hour", "USD", "What an hour of one GPU costs you, for machines without a list price: 2.50", "",
       "2.50"},
      {"replicas", "N", "Not training: so many machines load the model at once, to serve it", "", "50"},
  };
  return all;
}

std::vector<std::string> choices_for(const std::string& key, const Told& told, const Catalogue& catalogue) {
  if (key == "instance") return machines_with(record_of(told_gpus(told, catalogue).gpu, catalogue.gpus), catalogue);
  if (key == "storage") return storage_of(told_provider(told, catalogue), catalogue);
  if (key != "model") return {};
  std::vector<std::string> models;
  for (const char* name : {"resnet50", "vit_base_16", "stable_diffusion_2_512", "unet3d", "llama3_8b", "llama3_70b",
                           "bert_large", "dlrm", "jasper_librispeech", "nnunet_3d"})
    if (catalogue.workloads.contains(name)) models.emplace_back(name);
  return models;
}

std::string default_answer(const std::string& key, const Told& told, const Catalogue& catalogue) {
  const auto* model = record_of(told_answer(told, "model"), catalogue.workloads);
  if (key == "gpus") return "8xH100";
  if (key == "epochs") return "1";
  if (key == "instance") {
    const std::vector<std::string> machines = choices_for(key, told, catalogue);
    return machines.front();
  }
  if (key == "storage") {
    const std::vector<std::string> storage = choices_for(key, told, catalogue);
    return storage.empty() ? "" : storage.front();
  }
  if (key == "samples" && model != nullptr && model->samples) return std::to_string(model->samples->value);
  if (key == "sample-size" && model != nullptr)
    return format_quantity(Dimension::kBytes, rounded(model->sample_size.value.base()));
  if (key == "sample-size" && parameters_in_name(told_answer(told, "model"))) return "16 KiB";
  return "";
}

}  // namespace stallcast
