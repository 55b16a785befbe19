#include "python/module/watched.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>
#include <utility>

namespace stallcast::python {
namespace py = pybind11;

namespace {

constexpr auto kLook = std::chrono::milliseconds(50);  // how long Ctrl-C and progress may wait

// One call of run_watched().
class Work {
 public:
  explicit Work(const std::function<void(Watch&)>& work) : watch_(source_.get_token()) {
    thread_ = std::thread([this, &work] {
      try {
        work(watch_);
      } catch (...) {
        error_ = std::current_exception();
      }
      const std::scoped_lock lock(mutex_);
      done_ = true;
      over_.notify_all();
    });
  }
  ~Work() {
    source_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  bool is_over_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return over_.wait_for(lock, time, [this] { return done_; });
  }
  void stop() { source_.request_stop(); }
  Watch& watch() { return watch_; }
  // Once it is over. **Errors** what the work threw
  void finish() {
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::stop_source source_;
  Watch watch_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

void show(const py::object& progress, Watch& watch) {
  const std::optional<Told> told = watch.take();
  if (progress.is_none() || !told) return;
  const py::object utilization =
      told->gpu_utilization < 0.0 ? py::object(py::none()) : py::float_(told->gpu_utilization);
  progress(told->what, told->done, told->wanted, utilization);
}

}  // namespace

void Watch::tell(Told told) {
  const std::scoped_lock lock(mutex_);
  told_ = std::move(told);
}

std::optional<Told> Watch::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(told_, std::nullopt);
}

std::function<void(const Progress&)> Watch::progress() {
  return [this](const Progress& progress) {
    Told told;
    if (progress.gpu_utilization.half_width() < 1.0) told.gpu_utilization = progress.gpu_utilization.mean;
    if (progress.draws_wanted > 0) {
      told.what = "draws of uncertain inputs";
      told.done = progress.draws;
      told.wanted = progress.draws_wanted;
    } else if (progress.runs_wanted > 0) {
      told.what = "runs";
      told.done = progress.runs;
      told.wanted = progress.runs_wanted;
    } else {
      told.what = "steps";
      told.done = progress.steps;
      told.wanted = progress.steps_wanted;
    }
    tell(std::move(told));
  };
}

std::function<void(std::int64_t, std::int64_t)> Watch::counter(const char* what) {
  return [this, what](std::int64_t done, std::int64_t wanted) { tell({what, done, wanted}); };
}

void run_watched(const py::object& progress, const std::function<void(Watch&)>& work) {
  Work running(work);
  std::optional<py::error_already_set> raised;
  {
    const py::gil_scoped_release others_run;
    while (!running.is_over_within(kLook)) {
      const py::gil_scoped_acquire python;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!raised) show(progress, running.watch());
      } catch (py::error_already_set& error) {
        if (!raised) raised.emplace(error);
        running.stop();
      }
    }
  }
  if (raised) {
    try {
      running.finish();
    } catch (...) {  // of work that was told to stop: the interrupt is what the caller asked for
    }
    throw py::error_already_set(*raised);
  }
  running.finish();
  show(progress, running.watch());
}

}  // namespace stallcast::python
