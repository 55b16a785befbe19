// Price feeds in the shapes that clouds publish them, with made-up prices; and what becomes of them.
#include "core/import/price_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/import/json_stream.h"
#include "tests/core/catalogue/record_files.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::ordered_json;

constexpr const char* kToday = "2026-11-21";

// A catalogue in models/ with two machines of each cloud and some tiers; feeds beside it; the overlay in mine/.
class PriceImportTest : public RecordFiles {
 protected:
  void SetUp() override {
    RecordFiles::SetUp();
    write("models/gpus/x.json", R"({"kind": "gpu", "name": "x", "title": "X", "status": "current", "facts": {}})");
    machine("a2-highgpu-8g", "gcp", "us-central1", "96", "680 GiB", "0 GiB", price("on_demand", "$20", "hour"));
    machine("a3-highgpu-8g", "gcp", "us-central1", "208", "1872 GiB", "6000 GiB", price("on_demand", "$88.49", "hour"));
    machine("p5.48xlarge", "aws", "us-east-1", "192", "2048 GiB", "0 GiB", price("on_demand", "$50", "hour"));
    machine("standard_nd96isr_h100_v5", "azure", "eastus", "96", "1900 GiB", "0 GiB",
            price("on_demand", "$98.32", "hour"));
    tier("fsx_lustre_scratch_2", "aws", "us-east-1", price("capacity", "$0.14", "GiB-month"));
    tier("fsx_lustre_persistent_2_250", "aws", "us-east-1", price("capacity", "$0.2", "GiB-month"));
    tier("s3_standard", "aws", "us-east-1",
         price("capacity", "$0.023", "GiB-month") + "," + price("read_requests", "$0.0005", "1k requests"));
    tier("managed_lustre_500", "gcp", "us-central1", price("capacity", "$0.30", "GiB-month"));
    tier("gcs_standard", "gcp", "us-central1", price("capacity", "$0.000027397", "GiB-hour"));
    tier("hyperdisk_ml", "gcp", "us-central1", price("provisioned_bandwidth", "$0.12", "MiB/s-month"));
  }

  void machine(const std::string& name, const std::string& provider, const std::string& region,
               const std::string& vcpus, const std::string& memory, const std::string& disks,
               const std::string& prices) const {
    write("models/instances/" + name + ".json",
          R"({"kind": "instance", "name": ")" + name + R"(", "title": "A machine", "status": "current", "gpu": "x",
              "provider": ")" +
              provider + R"(", "region": ")" + region + R"(",
              "sources": {"page": {"title": "Page", "locator": "x", "read": "2026-11"}}, "facts": {)" +
              number("gpus", "8") + "," + number("physical_cores", "48") + "," + number("vcpus", vcpus) + "," +
              number("memory", memory) + (disks == "0 GiB" ? "" : "," + number("local_storage", disks)) +
              R"(}, "prices": {)" + prices + "}}");
  }
  void tier(const std::string& name, const std::string& provider, const std::string& region,
            const std::string& prices) const {
    write_tier(name, "", prices, R"("provider": ")" + provider + R"(", "region": ")" + region + R"(", )",
               "models/tiers");
  }

  Catalogue catalogue(const std::vector<std::filesystem::path>& overlays = {}) const {
    auto loaded = load_catalogue(file("models"), overlays);
    EXPECT_EQ(rendered(loaded.findings), "");
    return *loaded.value;
  }
  Loaded<PriceImport> import(const std::vector<std::string>& feeds, const FeedOptions& options = {},
                             const std::vector<std::filesystem::path>& overlays = {}) const {
    std::vector<std::filesystem::path> paths;
    for (const std::string& feed : feeds) paths.emplace_back(file(feed));
    return import_prices(paths, options, catalogue(overlays), file("mine"), kToday);
  }
  // "instance/p5.48xlarge on_demand $50 per hour -> $40 per hour", a line each.
  static std::vector<std::string> lines_of(const PriceImport& prices) {
    std::vector<std::string> lines;
    for (const PriceChange& change : prices.changes) {
      lines.push_back(change.record + " " + change.key + " " + (change.before.empty() ? "new" : change.before) +
                      " -> " + change.after);
    }
    return lines;
  }
  // What is wrong with one feed; nothing is imported.
  std::string refused(const std::string& feed, const FeedOptions& options = {}) const {
    const auto prices = import({feed}, options);
    EXPECT_FALSE(prices.value.has_value());
    EXPECT_EQ(prices.findings.list().size(), 1U) << rendered(prices.findings);
    return rendered(prices.findings);
  }
};

// --- SkyPilot -------------------------------------------------------------------------------------------------------

constexpr const char* kSkypilotGcp =
    "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n"
    "a2-highgpu-8g,96.0,680.0,,,,us-central1,us-central1-a,5.91582,2.958\n"
    "a2-highgpu-8g,96.0,680.0,,,,us-central1,us-central1-b,5.91582,2.9\n"
    "a2-highgpu-8g,96.0,680.0,,,,europe-west4,europe-west4-a,6.51251,2.54592\n"
    ",,,A100,8.0,A100,us-central1,us-central1-a,23.47128,11.6\n"
    ",,,A100,1.0,A100,us-central1,us-central1-a,2.93391,1.45\n"
    ",,,tpu-v6e-8,1.0,tpu-v6e-8,us-central1,us-central1-a,700.0,700.0\n";

TEST_F(PriceImportTest, GoogleMachinesAreTheSumOfHostAndAcceleratorRows) {
  write("vms.csv", kSkypilotGcp);
  const auto prices = import({"vms.csv"});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  // 5.91582 + 23.47128 = 29.3871; spot: the cheapest zone, 2.9 + 11.6 = 14.5
  EXPECT_THAT(lines_of(*prices.value), ElementsAre("instance/a2-highgpu-8g on_demand $20 per hour -> $29.3871 per hour",
                                                   "instance/a2-highgpu-8g spot new -> $14.5 per hour"));
  EXPECT_NEAR(prices.value->changes[0].percent, 46.9355, 1e-9);
}

TEST_F(PriceImportTest, TheRegionCanBeAnother) {
  write("vms.csv", std::string(kSkypilotGcp) + ",,,A100,8.0,A100,europe-west4,europe-west4-a,25.0,12.0\n");
  const auto prices = import({"vms.csv"}, {"gcp", "europe-west4"});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  EXPECT_THAT(lines_of(*prices.value)[0], HasSubstr("-> $31.51251 per hour"));
  EXPECT_EQ(prices.value->files.begin()->second["region"], "europe-west4");
}

TEST_F(PriceImportTest, AwsAndAzureMachinesHaveOneRow) {
  write("aws.csv",
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,"
        "Arch\n"
        "p5.48xlarge,H100,8.0,192.0,2048.0,\"{'Gpus': [{'Name': 'H100'}]}\",55.04,20.5,us-east-1,use1-az1,x86_64\n"
        "p9.48xlarge,Z100,8.0,192.0,2048.0,,99.0,,us-east-1,use1-az1,x86_64\n");
  write("azure.csv",
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,Generation\n"
        "Standard_ND96isr_H100_v5,H100,12.0,96.0,1900.0,,98.32,,eastus,\"V1,V2\"\n");
  const auto prices = import({"aws.csv", "azure.csv"});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  EXPECT_THAT(lines_of(*prices.value), ElementsAre("instance/p5.48xlarge on_demand $50 per hour -> $55.04 per hour",
                                                   "instance/p5.48xlarge spot new -> $20.5 per hour"));
  EXPECT_EQ(prices.value->unchanged, 1U);  // Azure's
  EXPECT_THAT(prices.value->unmatched, ElementsAre("p9.48xlarge (8 x Z100)"));
}

TEST_F(PriceImportTest, BrokenTablesAreTold) {
  write("a.csv", "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\np5.48xlarge,H100,8,1,us-east-1\n");
  EXPECT_THAT(refused("a.csv"), HasSubstr("error[missing_column]"));
  EXPECT_THAT(refused("a.csv"), HasSubstr("the column SpotPrice"));
  const std::string header = "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region\n";
  write("b.csv", header + "p5.48xlarge,H100,8,cheap,,us-east-1\n");
  EXPECT_THAT(refused("b.csv"), HasSubstr("error[wrong_number]:\n  got \"cheap\" for Price in line 2"));
  write("c.csv", header + "p5.48xlarge,H100,8,1\n");
  EXPECT_THAT(refused("c.csv"), HasSubstr("error[wrong_row]:\n  got 4 cells in line 2; allowed 6"));
  write("d.csv", header + "p5.48xlarge,\"H100,8,1,,us-east-1\n");
  EXPECT_THAT(refused("d.csv"), HasSubstr("a quote that does not end"));
  write("e.csv", "Name,Price per month\nsomething,3\n");
  EXPECT_THAT(refused("e.csv"), HasSubstr("error[not_a_price_file]"));
  write("f.csv", header + "p5\xff,H100,8,1,,us-east-1\n");
  EXPECT_THAT(refused("f.csv"), HasSubstr("error[not_utf8]"));
  write("g.csv", "");
  EXPECT_THAT(refused("g.csv"), HasSubstr("error[empty_file]"));
  write("h.csv", header + "p5.48xlarge,H100,8,-1,,us-east-1\n");
  EXPECT_THAT(refused("h.csv"), HasSubstr("error[wrong_number]"));
}

// --- AWS ------------------------------------------------------------------------------------------------------------

// {"SKU": {"SKU.T": {term with one price}}}
std::string term(const std::string& sku, const std::string& unit, const std::string& amount, const std::string& text,
                 const std::string& attributes = "{}", const std::string& currency = "USD") {
  return "\"" + sku + "\": {\"" + sku + R"(.T": {"offerTermCode": "T", "sku": ")" + sku +
         R"(", "effectiveDate": "2026-11-01T00:00:00Z", "priceDimensions": {")" + sku + R"(.T.D": {"rateCode": ")" +
         sku + R"(.T.D", "description": ")" + text + R"(", "beginRange": "0", "endRange": "Inf", "unit": ")" + unit +
         R"(", "pricePerUnit": {")" + currency + R"(": ")" + amount + R"("}, "appliesTo": []}}, "termAttributes": )" +
         attributes + "}}";
}
std::string product(const std::string& sku, const std::string& family, const std::string& attributes) {
  return "\"" + sku + R"(": {"sku": ")" + sku + R"(", "productFamily": ")" + family + R"(", "attributes": {)" +
         attributes + "}}";
}
std::string machine_attributes(const std::string& type, const std::string& system) {
  return R"("servicecode": "AmazonEC2", "regionCode": "us-east-1", "instanceType": ")" + type +
         R"(", "operatingSystem": ")" + system +
         R"(", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used", "gpu": "8")";
}
std::string offer(const std::string& code, const std::string& products, const std::string& on_demand,
                  const std::string& reserved = "") {
  return R"({"formatVersion": "v1.0", "disclaimer": "", "offerCode": ")" + code +
         R"(", "version": "1", "publicationDate": "2026-11-11T18:00:00Z", "products": {)" + products +
         R"(}, "terms": {"OnDemand": {)" + on_demand + R"(}, "Reserved": {)" + reserved + "}}}";
}

TEST_F(PriceImportTest, Ec2OfferFilesGiveOnDemandAndReserved) {
  const std::string lease =
      R"({"LeaseContractLength": "1yr", "OfferingClass": "standard", "PurchaseOption": "No Upfront"})";
  const std::string all =
      R"({"LeaseContractLength": "3yr", "OfferingClass": "standard", "PurchaseOption": "All Upfront"})";
  std::string three = term("LINUX", "Quantity", "262800", "Upfront Fee", all);  // over 26280 h: 10 an hour
  three = three.substr(three.find("{") + 1);                                    // only the term
  three.insert(1, "U");
  three.pop_back();
  std::string reserved = term("LINUX", "Hrs", "30.5", "reserved", lease);
  reserved.insert(reserved.size() - 1, "," + three);
  write("ec2.json", offer("AmazonEC2",
                          product("LINUX", "Compute Instance", machine_attributes("p5.48xlarge", "Linux")) + "," +
                              product("WIN", "Compute Instance", machine_attributes("p5.48xlarge", "Windows")) + "," +
                              product("NEW", "Compute Instance", machine_attributes("p9.48xlarge", "Linux")) + "," +
                              product("EBS", "Storage", R"("servicecode": "AmazonEC2")"),
                          term("LINUX", "Hrs", "45.0000000000", "$45 per On Demand Linux") + "," +
                              term("WIN", "Hrs", "60", "Windows") + "," + term("NEW", "Hrs", "99", "new"),
                          reserved));
  const auto prices = import({"ec2.json"}, {"aws", ""});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  EXPECT_THAT(lines_of(*prices.value), ElementsAre("instance/p5.48xlarge on_demand $50 per hour -> $45 per hour",
                                                   "instance/p5.48xlarge reserved_1y new -> $30.5 per hour",
                                                   "instance/p5.48xlarge reserved_3y new -> $10 per hour"));
  EXPECT_THAT(prices.value->unmatched, ElementsAre("p9.48xlarge (8 GPUs)"));
  const Json& written = prices.value->files.at(file("mine/instances/p5.48xlarge.json"));
  EXPECT_EQ(written["extends"], "p5.48xlarge");
  EXPECT_EQ(written["sources"]["feed_on_demand"]["locator"], "ec2.json, SKU LINUX");
  EXPECT_EQ(written["sources"]["feed_on_demand"]["as_of"], "2026-11-11");
  EXPECT_EQ(written["sources"]["feed_on_demand"]["read"], kToday);
  EXPECT_EQ(written["prices"]["on_demand"]["value"], "$45");
}

TEST_F(PriceImportTest, FsxAndS3OfferFilesGiveTheirTiers) {
  const auto lustre = [](const std::string& more) {
    return R"("servicecode": "AmazonFSx", "regionCode": "us-east-1", "fileSystemType": "Lustre", "storageType": "SSD", )" +
           more;
  };
  write("fsx.json",
        offer("AmazonFSx",
              product("S2", "Storage", lustre(R"("deploymentOption": "Scratch_2")")) + "," +
                  product("P250", "Storage",
                          lustre(R"("deploymentOption": "Persistent_2", "throughputCapacity": "250")")) +
                  "," + product("HDD", "Storage", lustre(R"("deploymentOption": "Persistent_1", "note": "HDD")")) +
                  "," + product("WIN", "Storage", R"("servicecode": "AmazonFSx", "fileSystemType": "Windows")"),
              term("S2", "GB-Mo", "0.15", "$0.15 per GB-Mo of Lustre scratch") + "," +
                  term("P250", "GB-Mo", "0.21", "$0.21 per GB-Mo") + "," + term("HDD", "GB-Mo", "0.025", "Lustre HDD") +
                  "," + term("WIN", "GB-Mo", "0.13", "Windows")));
  write(
      "s3.json",
      offer("AmazonS3",
            product("ST", "Storage", R"("servicecode": "AmazonS3", "usagetype": "TimedStorage-ByteHrs")") + "," +
                product("GET", "API Request", R"("servicecode": "AmazonS3", "usagetype": "USE1-Requests-Tier2")"),
            term("ST", "GB-Mo", "0.0230000000", "first 50 TB") + "," + term("GET", "Requests", "0.0000004000", "GET")));
  const auto prices = import({"fsx.json", "s3.json"});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  // A GET at $0.0000004 is $0.0004 for a thousand.
  EXPECT_THAT(lines_of(*prices.value),
              ElementsAre("tier/fsx_lustre_persistent_2_250 capacity $0.2 per GiB-month -> $0.21 per GiB-month",
                          "tier/fsx_lustre_scratch_2 capacity $0.14 per GiB-month -> $0.15 per GiB-month",
                          "tier/s3_standard read_requests $0.0005 per 1k requests -> $0.0004 per 1k requests"));
  EXPECT_EQ(prices.value->unchanged, 1U);
  EXPECT_THAT(prices.value->unmatched, ElementsAre("Lustre HDD (SKU HDD)"));
}

TEST_F(PriceImportTest, GetProductsAnswersHoldTextsOfJson) {
  const Json one =
      Json::parse(R"({"serviceCode": "AmazonEC2", "publicationDate": "2026-11-12T00:00:00Z", "product": )" +
                  [] {
                    std::string p = product("LINUX", "Compute Instance", machine_attributes("p5.48xlarge", "Linux"));
                    return p.substr(p.find(':') + 1);
                  }() +
                  R"(, "terms": {"OnDemand": )" +
                  [] {
                    std::string t = term("LINUX", "Hrs", "44", "Linux");
                    return t.substr(t.find(':') + 1);
                  }() +
                  "}}");
  write("products.json", Json({{"FormatVersion", "aws_v1"}, {"PriceList", Json::array({one.dump()})}}).dump());
  const auto prices = import({"products.json"});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  EXPECT_THAT(lines_of(*prices.value), ElementsAre("instance/p5.48xlarge on_demand $50 per hour -> $44 per hour"));
  EXPECT_EQ(prices.value->feeds[0].as_of, "2026-11-12");
}

TEST_F(PriceImportTest, OtherCurrenciesAreRefused) {
  const std::string products = product("LINUX", "Compute Instance", machine_attributes("p5.48xlarge", "Linux"));
  write("cny.json", offer("AmazonEC2", products, term("LINUX", "Hrs", "45", "Linux", "{}", "CNY")));
  EXPECT_THAT(refused("cny.json"), HasSubstr("error[wrong_currency]:\n  got prices in CNY"));
  write("both.json",
        offer("AmazonEC2", products + "," + product("ST", "Storage", R"("servicecode": "AmazonS3", "usagetype": "x")"),
              term("LINUX", "Hrs", "45", "Linux", "{}", "CNY") + "," + term("ST", "GB-Mo", "1", "x")));
  EXPECT_THAT(refused("both.json"), HasSubstr("error[mixed_currencies]:\n  got prices in CNY, USD"));
}

// --- Google Cloud ---------------------------------------------------------------------------------------------------

std::string sku(const std::string& id, const std::string& description, const std::string& unit,
                const std::string& units, long nanos, const std::string& usage = "OnDemand",
                const std::string& currency = "USD") {
  return R"({"name": "services/S/skus/)" + id + R"(", "skuId": ")" + id + R"(", "description": ")" + description +
         R"(", "category": {"serviceDisplayName": "Compute Engine", "resourceFamily": "Compute", "resourceGroup": "CPU",
             "usageType": ")" +
         usage + R"("}, "serviceRegions": ["us-central1", "us-east1"],
             "pricingInfo": [{"summary": "", "effectiveTime": "2026-11-15T10:00:00Z", "pricingExpression": {"usageUnit": ")" +
         unit + R"(", "displayQuantity": 1, "tieredRates": [{"startUsageAmount": 0, "unitPrice": {"currencyCode": ")" +
         currency + R"(", "units": ")" + units + R"(", "nanos": )" + std::to_string(nanos) + "}}]}}]}";
}
std::string page(const std::string& skus) { return R"({"skus": [)" + skus + R"(], "nextPageToken": "abc"})"; }

TEST_F(PriceImportTest, GoogleMachinesAreTheSumOfTheirParts) {
  const std::string parts =
      sku("C", "A3 Instance Core running in Americas", "h", "0", 30000000) + "," +
      sku("R", "A3 Instance Ram running in Americas", "GiBy.h", "0", 4000000) + "," +
      sku("G", "Nvidia H100 80GB GPU running in Americas", "h", "9", 0) + "," +
      sku("M", "Nvidia H100 80GB Plus GPU running in Americas", "h", "9", 500000000) + "," +
      sku("S", "SSD backed Local Storage", "GiBy.mo", "0", 73000000) + "," +
      sku("SC", "Spot Preemptible A3 Instance Core running in Americas", "h", "0", 10000000, "Preemptible");
  write("skus.json", page(parts));
  const auto prices = import({"skus.json"});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  // 208 * 0.03 + 1872 * 0.004 + 8 * 9 + 6000 * 0.073 / 730 = 6.24 + 7.488 + 72 + 0.6 = 86.328; spot lacks its parts
  EXPECT_THAT(lines_of(*prices.value),
              ElementsAre("instance/a3-highgpu-8g on_demand $88.49 per hour -> $86.328 per hour"));
  const Json& written = prices.value->files.at(file("mine/instances/a3-highgpu-8g.json"));
  EXPECT_EQ(written["sources"]["feed_on_demand"]["locator"], "skus.json, SKU C, R, G, S");
  EXPECT_EQ(written["prices"]["on_demand"]["note"], "208 vCPUs, 1872 GiB, 8 GPUs, 6000 GiB of local SSD");
}

TEST_F(PriceImportTest, PagesComeOneByOneInAnArrayOrOneAfterTheOther) {
  const std::string lustre = page(sku("L5", "Managed Lustre Capacity 500-Perf Iowa", "GiBy.mo", "0", 340000000));
  const std::string others = page(sku("LD", "Managed Lustre Capacity Dynamic-Perf Iowa", "GiBy.mo", "0", 60000000) +
                                  "," + sku("GS", "Standard Storage Iowa", "GiBy.mo", "0", 20000000) + "," +
                                  sku("HT", "Hyperdisk ML Throughput in Iowa", "mo", "0", 94000000));
  write("array.json", "[" + lustre + ", " + others + "]");
  write("after.json", lustre + "\n" + others + "\n");
  for (const char* name : {"array.json", "after.json"}) {
    const auto prices = import({name});
    ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
    EXPECT_THAT(lines_of(*prices.value),
                ElementsAre("tier/hyperdisk_ml provisioned_bandwidth $0.12 per MiB/s-month -> $0.094 per MiB/s-month",
                            "tier/managed_lustre_500 capacity $0.30 per GiB-month -> $0.34 per GiB-month"));
    EXPECT_EQ(prices.value->unchanged, 1U);  // $0.02 a month is $0.000027397 an hour, rounded
    EXPECT_THAT(prices.value->unmatched,
                ElementsAre("Managed Lustre Capacity Dynamic-Perf Iowa (SKU LD, per GiBy.mo)"));
    EXPECT_THAT(prices.value->not_in_feeds, ElementsAre("instance/a2-highgpu-8g", "instance/a3-highgpu-8g"));
  }
}

TEST_F(PriceImportTest, MixedCurrenciesOfSkusAreRefused) {
  write("skus.json", page(sku("A", "Managed Lustre Capacity 500-Perf Iowa", "GiBy.mo", "0", 1) + "," +
                          sku("B", "Standard Storage Iowa", "GiBy.mo", "0", 1, "OnDemand", "EUR")));
  EXPECT_THAT(refused("skus.json"), HasSubstr("error[mixed_currencies]:\n  got prices in EUR, USD"));
}

// A record can hold none.
TEST_F(PriceImportTest, APriceBelowZeroIsRefused) {
  write("initial-prices.json", R"({"prices": {"us-central1": {"on_demand": {"a2-highgpu-8g": -1}}}})");
  EXPECT_THAT(refused("initial-prices.json"),
              HasSubstr("error[wrong_number]:\n  got $-1 per hour for "
                        "instance/a2-highgpu-8g/on_demand; allowed a price from $0 on"));
}

TEST_F(PriceImportTest, KarpentersPricesAreOfWholeMachines) {
  write(
      "initial-prices.json",
      R"({"prices": {"us-central1": {"on_demand": {"a2-highgpu-8g": 29.3871, "a3-highgpu-8g": 88.49, "n2-standard-2": 0.1,
            "a2-highgpu-4g": 14.7}, "spot": {"a2-highgpu-8g": 15.4242}},
            "us-east1": {"on_demand": {"a2-highgpu-8g": 1.0}}}})");
  const auto prices = import({"initial-prices.json"});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  EXPECT_THAT(lines_of(*prices.value), ElementsAre("instance/a2-highgpu-8g on_demand $20 per hour -> $29.3871 per hour",
                                                   "instance/a2-highgpu-8g spot new -> $15.4242 per hour"));
  EXPECT_EQ(prices.value->unchanged, 1U);
  EXPECT_THAT(prices.value->unmatched, ElementsAre("a2-highgpu-4g"));
}

// --- the overlay ----------------------------------------------------------------------------------------------------

TEST_F(PriceImportTest, TheOverlayHoldsOnlyWhatChangedAndASecondImportChangesNothing) {
  write("vms.csv", kSkypilotGcp);
  const auto first = import({"vms.csv"});
  ASSERT_TRUE(first.ok());
  write_overlay(*first.value);
  const Catalogue changed = catalogue({file("mine")});
  const InstanceRecord& a2 = changed.instances.at("a2-highgpu-8g");
  EXPECT_EQ(a2.prices.at("on_demand").amount, "29.3871");
  EXPECT_EQ(a2.prices.at("on_demand").evidence.source,
            "SkyPilot catalogue of Google Cloud, vms.csv, vms.csv, read 2026-11-21");
  EXPECT_EQ(a2.vcpus->value, 96);
  EXPECT_TRUE(changed.instances.at("a3-highgpu-8g").overlay.empty());
  const auto second = import({"vms.csv"}, {}, {file("mine")});
  ASSERT_TRUE(second.ok()) << rendered(second.findings);
  EXPECT_THAT(second.value->changes, IsEmpty());
  EXPECT_EQ(second.value->unchanged, 2U);
  EXPECT_THAT(second.value->files, IsEmpty());
}

TEST_F(PriceImportTest, WhatAPersonWroteInTheOverlayStays) {
  write("mine/a2.json", "{}");
  std::filesystem::remove(file("mine/a2.json"));
  write("mine/a2-highgpu-8g.json",
        R"({"kind": "instance", "name": "a2-highgpu-8g", "extends": "a2-highgpu-8g",
            "sources": {"quote": {"title": "Quote", "locator": "mail", "read": "2026-11"}},
            "facts": {"memory": {"value": "700 GiB", "source": "quote", "kind": "vendor"}}})");
  write("vms.csv", kSkypilotGcp);
  const auto prices = import({"vms.csv"}, {}, {file("mine")});
  ASSERT_TRUE(prices.ok()) << rendered(prices.findings);
  write_overlay(*prices.value);
  const Catalogue changed = catalogue({file("mine")});
  EXPECT_DOUBLE_EQ(changed.instances.at("a2-highgpu-8g").memory->value.base(), 700.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(changed.instances.at("a2-highgpu-8g").prices.at("on_demand").amount, "29.3871");
}

TEST_F(PriceImportTest, SaysWhatChangedAndHowOldTheFeedIs) {
  write("s3.json",
        offer("AmazonS3", product("ST", "Storage", R"("servicecode": "AmazonS3", "usagetype": "TimedStorage-ByteHrs")"),
              term("ST", "GB-Mo", "0.0207", "first 50 TB")));
  const auto prices = import({"s3.json"});
  ASSERT_TRUE(prices.ok());
  const std::string text = import_text(*prices.value, kToday);
  EXPECT_THAT(text, HasSubstr("AWS price list, AmazonS3, of 2026-11-11, 10 days old; 1 prices taken"));
  EXPECT_THAT(text, HasSubstr("1 changed, 0 new, 0 unchanged"));
  EXPECT_THAT(text, HasSubstr("tier/s3_standard  capacity  $0.023 per GiB-month  $0.0207 per GiB-month  -10.0 %"));
  EXPECT_THAT(text, HasSubstr("Not in the feeds (3):"));
}

TEST_F(PriceImportTest, FeedsThatDisagreeAreTold) {
  write("a.json", R"({"prices": {"us-central1": {"on_demand": {"a2-highgpu-8g": 29}}}})");
  write("b.json", R"({"prices": {"us-central1": {"on_demand": {"a2-highgpu-8g": 30}}}})");
  const auto prices = import({"a.json", "b.json"});
  ASSERT_TRUE(prices.ok());
  EXPECT_THAT(rendered(prices.findings), HasSubstr("warning[two_prices]"));
  EXPECT_THAT(lines_of(*prices.value)[0], HasSubstr("-> $30 per hour"));
}

// --- what is no feed ------------------------------------------------------------------------------------------------

TEST_F(PriceImportTest, FilesOfAnotherVendorAreRefused) {
  write("vms.csv", kSkypilotGcp);
  EXPECT_THAT(
      refused("vms.csv", {"aws", ""}),
      HasSubstr("error[wrong_provider]:\n  got SkyPilot catalogue of Google Cloud, vms.csv; allowed prices of aws"));
  write("ec2.json", offer("AmazonEC2", "", ""));
  EXPECT_THAT(refused("ec2.json", {"gcp", ""}),
              HasSubstr("error[wrong_provider]:\n  got an offer file of AWS (AmazonEC2); allowed prices of gcp"));
  write("skus2.json", page(sku("A", "Standard Storage Iowa", "GiBy.mo", "0", 1)));
  EXPECT_THAT(refused("skus2.json", {"azure", ""}), HasSubstr("got SKUs of Google Cloud; allowed prices of azure"));
}

TEST_F(PriceImportTest, FilesThatAreNoFeedsAreRefused) {
  write("retail.json", R"({"BillingCurrency": "USD", "Items": [{"retailPrice": 1}], "Count": 1})");
  EXPECT_THAT(refused("retail.json"),
              HasSubstr("error[not_a_price_file]:\n  got an answer of the Azure Retail Prices"));
  write("other.json", R"({"hello": "world"})");
  EXPECT_THAT(refused("other.json"), HasSubstr("error[not_a_price_file]:\n  got other JSON"));
  write("empty.json", " ");
  EXPECT_THAT(refused("empty.json"), HasSubstr("error[empty_file]"));
  const std::string whole = offer("AmazonEC2", product("A", "B", ""), "");
  write("cut.json", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(refused("cut.json"), HasSubstr("error[invalid_json]"));
  EXPECT_THAT(refused("cut.json"), HasSubstr("the file ends too early"));
  write("bytes.json", "{\"offerCode\": \"Amazon\xff\"}");
  EXPECT_THAT(refused("bytes.json"), HasSubstr("error[not_utf8]"));
  write("deep.json", std::string(200, '[') + std::string(200, ']'));
  EXPECT_THAT(refused("deep.json"), HasSubstr("error[too_deep]"));
  EXPECT_THROW(import({"nowhere.json"}), WorldError);
  std::filesystem::create_directories(file("folder.json"));
  EXPECT_THROW(import({"folder.json"}), WorldError);
}

// --- parts ----------------------------------------------------------------------------------------------------------

TEST(DollarsOf, KeepsEveryDigit) {
  EXPECT_EQ(decimal_text(*dollars_of("5.91582") + *dollars_of("23.47128")), "29.3871");
  EXPECT_EQ(decimal_text(*dollars_of("0.0000004000") * 1000), "0.0004");
  EXPECT_EQ(decimal_text(*dollars_of("1.5e-3")), "0.0015");
  EXPECT_EQ(decimal_text(*dollars_of("700")), "700");
  for (const char* text : {"", "abc", "1,5", "--1", "1e999999999", ".", "e", "0x10", "nan"}) {
    EXPECT_FALSE(dollars_of(text).has_value()) << text;
  }
}

TEST_F(PriceImportTest, StreamsOnlyTheWantedParts) {
  write("a.json", R"({"a": {"x": [1, 2.50], "y": {"z": null}}, "b": [true, {"c": "d"}], "e": 1.10})");
  std::vector<std::string> seen;
  const Findings findings =
      stream_json(file("a.json"), {{"a", "*"}, {"b", "*"}, {"e"}}, [&](const JsonPath& path, const Json& value) {
        std::string place;
        for (const std::string& key : path) place += "/" + key;
        seen.push_back(place + " " + value.dump());
      });
  EXPECT_EQ(rendered(findings), "");
  EXPECT_THAT(seen,
              ElementsAre("/a/x [1,\"2.50\"]", "/a/y {\"z\":null}", "/b/* true", "/b/* {\"c\":\"d\"}", "/e \"1.10\""));
}

}  // namespace
}  // namespace stallcast
