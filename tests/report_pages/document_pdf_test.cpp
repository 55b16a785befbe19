// PDF by a browser, with programs of a line or two in its place.
#include "core/report/document/document_pdf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

class DocumentPdf : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "document_pdf_test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directory(folder_ / "programs");
    std::filesystem::create_directory(folder_ / "scratch");
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_ / "programs").c_str(), 1);
    ::setenv("TMPDIR", (folder_ / "scratch").c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("TMPDIR");
    std::filesystem::remove_all(folder_);
  }

  // A browser that runs `script`; $pdf is where the PDF goes and $html what it is made of.
  void browser(const std::string& script) {
    const std::filesystem::path program = folder_ / "programs" / "chromium";
    std::ofstream(program) << "#!/bin/sh\nPATH=" << path_
                           << "\nfor word; do case $word in --print-to-pdf=*) pdf=${word#*=};; file://*) "
                              "html=${word#file://};; esac; done\n"
                           << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
  std::string message_of_failure(const std::stop_token& stop = {}) {
    try {
      write_pdf("<p>page</p>", folder_ / "report.pdf", stop);
    } catch (const WorldError& error) {
      return error.what();
    }
    return "";
  }
  std::string content() {
    std::ifstream file(folder_ / "report.pdf");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(DocumentPdf, SaysWhatToDoWithoutABrowser) {
  EXPECT_EQ(pdf_browser(), "");
  EXPECT_THAT(message_of_failure(), HasSubstr("apt install chromium"));
  EXPECT_THAT(message_of_failure(), HasSubstr("--format html"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report.pdf"));
}

TEST_F(DocumentPdf, IsWhatTheBrowserPrintsOfThePage) {
  browser("printf %%PDF- >$pdf; cat $html >>$pdf; printf %%%%EOF >>$pdf");
  write_pdf("<p>page</p>", folder_ / "report.pdf");
  EXPECT_EQ(content(), "%PDF-<p>page</p>%%EOF");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "scratch"));
}

TEST_F(DocumentPdf, KeepsTheOldFileWhenTheBrowserFails) {
  std::ofstream(folder_ / "report.pdf") << "old";
  browser("echo no display >&2; printf %%PDF- >$pdf; exit 7");
  EXPECT_THAT(message_of_failure(), ::testing::AllOf(HasSubstr("exit 7"), HasSubstr("no display")));
  browser("echo '<html>' >$pdf");
  EXPECT_THAT(message_of_failure(), HasSubstr("printed no PDF"));
  EXPECT_EQ(content(), "old");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "scratch"));
}

TEST_F(DocumentPdf, StopsWhenAsked) {
  browser("sleep 1000");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(message_of_failure(stop.get_token()), HasSubstr("stopped before it had printed the PDF"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "scratch"));
}

}  // namespace
}  // namespace stallcast
