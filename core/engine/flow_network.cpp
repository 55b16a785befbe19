#include "core/engine/flow_network.h"

#include <algorithm>
#include <cmath>

#include "core/diagnostics/invariant.h"

namespace stallcast {

FlowNetwork::LinkId FlowNetwork::add_link(double capacity) {
  invariant(capacity > 0, "a link needs a positive capacity");
  links_.push_back(Link{.capacity = capacity, .classes = {}});
  return static_cast<LinkId>(links_.size() - 1);
}

FlowNetwork::ClassId FlowNetwork::add_class(std::span<const LinkId> path, double cap_per_flow) {
  const auto id = static_cast<ClassId>(classes_.size());
  invariant(id == 0 || classes_.capacity() > classes_.size() || classes_.front().flows == 0,
            "classes are added before flows start");
  FlowClass cls;
  cls.cap = cap_per_flow;
  bool limited = std::isfinite(cap_per_flow);
  for (LinkId link : path) {
    if (!std::isfinite(links_[link].capacity)) continue;
    limited = true;
    cls.path.push_back(link);
    links_[link].classes.push_back(id);
  }
  invariant(limited, "a flow class needs a cap or a link of finite capacity");
  classes_.push_back(std::move(cls));
  for (auto& c : classes_) {
    c.network = this;
    c.timer.owner = &c;
    c.timer.action = &FlowNetwork::on_timer;
  }
  return id;
}

double FlowNetwork::moved(LinkId link) const {
  double total = links_[link].moved;
  for (ClassId id : links_[link].classes) {
    const FlowClass& cls = classes_[id];
    total += static_cast<double>(cls.flows) * cls.rate * to_seconds(sim_->now() - cls.since);
  }
  return total;
}

void FlowNetwork::advance(FlowClass& cls) {
  const SimTime now = sim_->now();
  if (now == cls.since) return;
  const double served = cls.rate * to_seconds(now - cls.since);
  cls.clock += served;
  cls.since = now;
  for (LinkId link : cls.path) links_[link].moved += served * static_cast<double>(cls.flows);
}

void FlowNetwork::start(ClassId id, double amount, std::coroutine_handle<> process) {
  FlowClass& cls = classes_[id];
  advance(cls);
  if (cls.flows == 0) cls.clock = 0.0;  // an idle clock restarts, so that readings stay small and exact
  cls.heap.push_back({cls.clock + amount, order_++, process.address()});
  std::push_heap(cls.heap.begin(), cls.heap.end(), [](const Flow& a, const Flow& b) { return b.before(a); });
  ++cls.flows;
  share(id);
  set_completion(cls);
}

void FlowNetwork::on_timer(void* owner) {
  auto& cls = *static_cast<FlowClass*>(owner);
  cls.network->finish_due(cls);
}

void FlowNetwork::finish_due(FlowClass& cls) {
  advance(cls);
  // Half a nanosecond of service is below the clock's resolution: such a flow is done.
  const double reached = cls.clock + cls.rate * 0.5e-9 + cls.clock * 1e-15;
  const std::int64_t before = cls.flows;
  while (!cls.heap.empty() && cls.heap.front().finish <= reached) {
    std::pop_heap(cls.heap.begin(), cls.heap.end(), [](const Flow& a, const Flow& b) { return b.before(a); });
    sim_->schedule_now(std::coroutine_handle<>::from_address(cls.heap.back().process));
    cls.heap.pop_back();
    --cls.flows;
  }
  if (cls.flows != before) share(static_cast<ClassId>(&cls - classes_.data()));
  set_completion(cls);
}

void FlowNetwork::set_completion(FlowClass& cls) {
  if (cls.heap.empty()) {
    sim_->set_timer(cls.timer, kNever);
    return;
  }
  const double wait = (cls.heap.front().finish - cls.clock) / cls.rate;
  sim_->set_timer(cls.timer, cls.since + std::max<SimTime>(0, to_ns(wait)));
}

// Progressive filling over the classes connected to the changed one. Rates of untouched components stay.
void FlowNetwork::share(ClassId changed) {
  ++pass_;
  component_.clear();
  component_links_.clear();
  if (classes_[changed].path.empty()) {  // nothing shared: the cap is the rate
    FlowClass& cls = classes_[changed];
    cls.rate = cls.cap;
    cls.bottleneck = kOwnCap;
    return;
  }
  const auto visit = [&](ClassId id) {
    for (LinkId link : classes_[id].path) {
      Link& l = links_[link];
      if (l.mark == pass_) continue;
      l.mark = pass_;
      l.left = l.capacity;
      l.unfixed = 0;
      component_links_.push_back(link);
    }
  };
  visit(changed);
  for (std::size_t i = 0; i < component_links_.size(); ++i)
    for (ClassId id : links_[component_links_[i]].classes) {
      FlowClass& cls = classes_[id];
      if (cls.flows == 0 || cls.active_listed) continue;
      cls.active_listed = true;
      component_.push_back(id);
      visit(id);
    }
  for (ClassId id : component_) {
    classes_[id].active_listed = false;
    classes_[id].fixed = false;
    for (LinkId link : classes_[id].path) links_[link].unfixed += classes_[id].flows;
  }
  std::size_t open = component_.size();
  while (open > 0) {
    double level = kUnlimited;
    LinkId binding = kOwnCap;
    for (LinkId link : component_links_) {
      const Link& l = links_[link];
      if (l.unfixed == 0) continue;
      const double fair = std::max(0.0, l.left) / static_cast<double>(l.unfixed);
      if (fair < level) {
        level = fair;
        binding = link;
      }
    }
    // Classes whose own cap is below the level get it; only when there is none does a link bind.
    bool capped = false;
    for (ClassId id : component_) {
      FlowClass& cls = classes_[id];
      if (cls.fixed || cls.cap > level) continue;
      cls.fixed = capped = true;
      cls.next_rate = cls.cap;
      cls.next_bottleneck = kOwnCap;
      --open;
      for (LinkId link : cls.path) {
        links_[link].left -= cls.cap * static_cast<double>(cls.flows);
        links_[link].unfixed -= cls.flows;
      }
    }
    if (capped) continue;
    for (ClassId id : links_[binding].classes) {
      FlowClass& cls = classes_[id];
      if (cls.fixed || cls.flows == 0) continue;
      cls.fixed = true;
      cls.next_rate = level;
      cls.next_bottleneck = binding;
      --open;
      for (LinkId link : cls.path) {
        links_[link].left -= level * static_cast<double>(cls.flows);
        links_[link].unfixed -= cls.flows;
      }
    }
  }
  for (ClassId id : component_) {
    FlowClass& cls = classes_[id];
    cls.bottleneck = cls.next_bottleneck;
    if (cls.next_rate == cls.rate) continue;
    advance(cls);
    cls.rate = cls.next_rate;
    if (id != changed) set_completion(cls);
  }
}

}  // namespace stallcast
