#include "core/diagnose/log_lines.h"

#include <gtest/gtest.h>

#include <map>

namespace stallcast {
namespace {

std::map<std::string, double> read(const char* text) {
  std::map<std::string, double> out;
  for (const Observation& one : read_log_lines(text, "log")) out[one.quantity] = one.value;
  return out;
}
using Figures = std::map<std::string, double>;

// The first of three lines holds the start of the loaders; the median of 3.02 and 2.98 is the upper one.
TEST(LogLines, TqdmAndLightning) {
  EXPECT_EQ(read("Epoch 0:   1%| | 1/1563 [00:04<2:02:10,  4.69s/it]\r"
                 "Epoch 0:  10%|#| 156/1563 [00:52<07:51, 2.98it/s, loss=2.3]\r"
                 "Epoch 0:  20%|##| 312/1563 [01:44<07:00, 3.02it/s, loss=2.1]\n"),
            (Figures{{"it_per_s", 3.02}}));
  EXPECT_EQ(read("7/100 [00:14<03:06,  2.00s/it]"), (Figures{{"it_per_s", 0.5}}));
}

TEST(LogLines, TorchvisionTimmAndMmengine) {
  EXPECT_EQ(read("Epoch: [0]  [ 500/5004]  eta: 0:25:37  lr: 0.1  img/s: 190.1  loss: 6.6  time: 0.3412  data: 0.2170"),
            (Figures{{"step_time", 0.3412}, {"data_time", 0.2170}}));
  EXPECT_EQ(read("Epoch: [1][ 100/5005] Time  0.351 ( 0.412) Data  0.217 ( 0.301) Loss 5.1"),
            (Figures{{"step_time", 0.351}, {"data_time", 0.217}}));
  EXPECT_EQ(read("Epoch(train)  [1][ 50/937]  lr: 1.0e-01  eta: 0:10:00  time: 0.4012  data_time: 0.1830  memory: 812"),
            (Figures{{"step_time", 0.4012}, {"data_time", 0.1830}}));
}

// A step without a wait counts: the median of 0, 0 and 1 ms is no wait, as the first line is the start of the loaders.
TEST(LogLines, NoWaitIsAWait) {
  EXPECT_EQ(read("time: 0.4  data: 1.9000\ntime: 0.4  data: 0.0000\ntime: 0.4  data: 0.0010\ntime: 0.4  data: 0.0000"),
            (Figures{{"step_time", 0.4}, {"data_time", 0.0}}));
}

TEST(LogLines, HuggingFace) {
  EXPECT_EQ(read("{'train_runtime': 523.1, 'train_samples_per_second': 245.3, 'train_steps_per_second': 0.958}"),
            (Figures{{"samples_per_s", 245.3}, {"it_per_s", 0.958}}));
}

TEST(LogLines, WhatIsNoneIsNone) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("loss: 0.31 metadata: 17 datatime lifetime: 3\nOverdata_time 5").empty());
  EXPECT_TRUE(read("runtime: 3.5").empty());
}

}  // namespace
}  // namespace stallcast
