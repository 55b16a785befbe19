#include "core/engine/flow_network.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/diagnostics/invariant.h"

namespace stallcast {

namespace {

// A limit this close to the fair rate, relatively, may be taken for either: keeps rounding from flipping it for ever.
constexpr double kTie = 1e-12;
// A clock this many amounts ahead is set back, so that its readings stay exact to a millionth of a millionth.
constexpr double kFarAhead = 0x1p20;

}  // namespace

FlowNetwork::LinkId FlowNetwork::add_link(double capacity) {
  invariant(capacity > 0, "a link needs a positive capacity");
  links_.push_back(Link{.capacity = capacity, .classes = {}});
  return static_cast<LinkId>(links_.size() - 1);
}

FlowNetwork::ClassId FlowNetwork::add_class(std::span<const LinkId> path, double cap_per_flow) {
  invariant(active_ == 0, "classes are added while no flow is active");
  const auto id = static_cast<ClassId>(classes_.size());
  FlowClass& cls = classes_.emplace_back();
  cls.id = id;
  cls.cap = cap_per_flow;
  bool limited = std::isfinite(cap_per_flow);
  for (LinkId link : path) {
    if (!std::isfinite(links_[link].capacity)) continue;
    limited = true;
    if (cls.path.empty() || links_[link].capacity < links_[cls.bottleneck].capacity) cls.bottleneck = link;
    cls.path.push_back(link);
    links_[link].classes.push_back(id);
  }
  invariant(limited, "a flow class needs a cap or a link of finite capacity");
  shapes_known_ = false;
  return id;
}

void FlowNetwork::adopt(Clock& clock) {
  clock.network = this;
  clock.timer.owner = &clock;
  clock.timer.action = &FlowNetwork::on_timer;
}

// Finds the components of classes connected by links; one whose classes each share at most one link is a star.
void FlowNetwork::recognise_shapes() {
  stars_.clear();
  groups_.clear();
  for (FlowClass& cls : classes_) {
    adopt(cls.clock);
    cls.clock.cls = &cls;
    cls.own.clock = &cls.clock;
    cls.listed = false;
    cls.private_link = kOwnCap;
    cls.private_capacity = kUnlimited;
  }
  for (FlowClass& seed : classes_) {
    if (seed.listed) continue;
    const SharedLink shared = gather_connected(seed);
    if (solver_ == Solver::kProgressiveFilling || !shared.simple) {
      for (FlowClass* cls : component_) cls->shape = cls->path.empty() ? Shape::kAlone : Shape::kGeneral;
    } else if (shared.link == kOwnCap) {
      seed.shape = Shape::kAlone;
    } else {
      make_star(shared.link);
    }
  }
  for (FlowClass& cls : classes_) cls.listed = false;
  shapes_known_ = true;
}

// Makes `component_` the classes connected to `seed`, and finds the tightest private link of each.
FlowNetwork::SharedLink FlowNetwork::gather_connected(FlowClass& seed) {
  SharedLink shared;
  component_.assign(1, &seed);
  seed.listed = true;
  for (std::size_t i = 0; i < component_.size(); ++i) {
    FlowClass& cls = *component_[i];
    for (LinkId link : cls.path) {
      if (links_[link].classes.size() == 1) {
        if (links_[link].capacity < cls.private_capacity) {
          cls.private_capacity = links_[link].capacity;
          cls.private_link = link;
        }
        continue;
      }
      shared.simple = shared.simple && (shared.link == kOwnCap || shared.link == link);
      shared.link = link;
      for (ClassId other : links_[link].classes) {
        if (classes_[other].listed) continue;
        classes_[other].listed = true;
        component_.push_back(&classes_[other]);
      }
    }
  }
  return shared;
}

// Makes a star of the classes of `component_`.
void FlowNetwork::make_star(LinkId shared) {
  Star& star = stars_.emplace_back();
  star.link = shared;
  star.capacity = links_[shared].capacity;
  adopt(star.clock);
  std::map<double, Group*> by_cap;
  for (FlowClass* cls : component_) {
    Group*& group = by_cap[cls->cap];
    if (!group) {
      group = &groups_.emplace_back();
      group->limit.rate = cls->cap;
      group->limit.clock = &group->clock;
      adopt(group->clock);
    }
    cls->shape = Shape::kStar;
    cls->star = &star;
    cls->group = group;
  }
}

double FlowNetwork::rate(ClassId id) const {
  const FlowClass& cls = classes_[id];
  if (cls.flows == 0) return 0.0;
  const Clock* clock = &cls.clock;
  while (clock->parent) clock = clock->parent;
  return clock->rate;
}

FlowNetwork::LinkId FlowNetwork::bottleneck(ClassId id) const {
  const FlowClass& cls = classes_[id];
  if (cls.flows == 0 || cls.shape == Shape::kGeneral) return cls.bottleneck;
  if (cls.shape == Shape::kAlone)
    return cls.cap <= cls.private_capacity / static_cast<double>(cls.flows) ? kOwnCap : cls.private_link;
  if (cls.follows == Follows::kGroup) return cls.group->limit.holds ? kOwnCap : cls.star->link;
  return cls.own.holds ? cls.private_link : cls.star->link;
}

double FlowNetwork::moved(LinkId link) const {
  double total = 0.0;
  for (ClassId id : links_[link].classes) {
    const FlowClass& cls = classes_[id];
    total += cls.moved;
    if (cls.flows > 0) total += static_cast<double>(cls.flows) * (reading(cls.clock) - cls.counted);
  }
  return total;
}

// ------------------------------------------------------------------------------------------------------- flows

// The reading of the class's clock; far ahead or idle, the clock restarts, so that readings stay small and exact.
double FlowNetwork::reading_at_start(FlowClass& cls, double amount) {
  if (cls.flows == 0) {
    cls.clock.reading = 0.0;
    cls.clock.since = sim_->now();
    cls.counted = 0.0;
    cls.started = 0;
    return 0.0;
  }
  const double at = reading(cls.clock);
  if (at <= kFarAhead * amount || cls.started <= cls.flows) return at;
  set_back(cls);
  return 0.0;
}

void FlowNetwork::start(ClassId id, double amount, std::coroutine_handle<> process) {
  if (!shapes_known_) recognise_shapes();
  FlowClass& cls = classes_[id];
  const double at = reading_at_start(cls, amount);
  const Flow flow{at + amount, order_++, process.address()};
  const bool first = cls.heap.empty() || flow.before(cls.heap.top());
  cls.heap.push(flow);
  ++cls.started;
  ++active_;
  if (cls.shape == Shape::kAlone) {
    const bool restarted = at == 0.0;  // idle before, or set back: its readings are new
    share_alone(cls, at, cls.flows + 1, first || restarted);
    return;
  }
  if (first && cls.clock.parent) first_changed(cls.clock);
  set_flows(cls, cls.flows + 1);
  refresh_timers();
}

void FlowNetwork::on_timer(void* owner) {
  auto& root = *static_cast<Clock*>(owner);
  if (root.cls && root.cls->shape == Shape::kAlone) {
    root.network->finish_due_alone(*root.cls);
  } else {
    root.network->finish_due(root);
  }
}

// How far a clock that reads `at` may be past a finish that falls on the present nanosecond.
double FlowNetwork::reached(const Clock& root, double at) { return at + root.rate * 0.5e-9 + at * 1e-15; }

void FlowNetwork::wake_first(FlowClass& cls) {
  void* const process = cls.heap.pop().process;
  prefetch_frame(process);
  if (!cls.heap.empty()) prefetch_frame(cls.heap.top().process);
  sim_->schedule_now(std::coroutine_handle<>::from_address(process));
  --active_;
}

// Ends the first flow, and with it those that have less than half a nanosecond of service left.
void FlowNetwork::finish_due(Clock& root) {
  const double at = reading(root);
  const double last = reached(root, at);
  changed_.clear();
  do {
    Clock* clock = &root;
    while (!clock->cls) clock = clock->followers.top().clock;
    FlowClass& cls = *clock->cls;
    wake_first(cls);
    if (!cls.listed) {
      cls.listed = true;
      changed_.push_back(&cls);
    }
    if (clock->parent) first_changed(*clock);
  } while (first_of(root).finish <= last);
  for (FlowClass* cls : changed_) {
    cls->listed = false;
    set_flows(*cls, static_cast<std::int64_t>(cls->heap.size()));
  }
  touch(root);
  refresh_timers();
}

void FlowNetwork::finish_due_alone(FlowClass& cls) {
  const double at = reading(cls.clock);
  const double last = reached(cls.clock, at);
  do wake_first(cls);
  while (!cls.heap.empty() && cls.heap.top().finish <= last);
  share_alone(cls, at, static_cast<std::int64_t>(cls.heap.size()), true);
}

// As set_flows() and refresh_timers() for a class that shares no link and whose clock reads `at`.
void FlowNetwork::share_alone(FlowClass& cls, double at, std::int64_t flows, bool first_changed) {
  count_moved(cls, at);
  if (flows == 0) cls.bottleneck = bottleneck(cls.id);
  cls.flows = flows;
  const double rate = alone_rate(cls);
  Clock& clock = cls.clock;
  if (rate != clock.rate) {
    clock.reading = at;
    clock.since = sim_->now();
    clock.rate = rate;
  } else if (!first_changed) {
    return;
  }
  refresh_timer(clock);
}

double FlowNetwork::alone_rate(const FlowClass& cls) {
  return cls.flows > 0 ? std::min(cls.cap, cls.private_capacity / static_cast<double>(cls.flows)) : 0.0;
}

void FlowNetwork::count_moved(FlowClass& cls, double at) {
  cls.moved += static_cast<double>(cls.flows) * (at - cls.counted);
  cls.counted = at;
}

// Counts what the class has moved, then shares the links anew for `flows` of its flows.
void FlowNetwork::set_flows(FlowClass& cls, std::int64_t flows) {
  count_moved(cls, reading(cls.clock));
  if (flows == 0) cls.bottleneck = bottleneck(cls.id);
  switch (cls.shape) {
    case Shape::kAlone:
      cls.flows = flows;
      run_alone(cls.clock, alone_rate(cls));
      break;
    case Shape::kStar:
      set_star_flows(cls, flows);
      break;
    case Shape::kGeneral:
      cls.flows = flows;
      if (flows == 0) run_alone(cls.clock, 0.0);
      fill(cls);
      touch(cls.clock);
      break;
  }
}

// ------------------------------------------------------------------------------------------------------ clocks

double FlowNetwork::reading(const Clock& clock) const {
  if (clock.parent) return clock.reading + reading(*clock.parent);
  return clock.reading + clock.rate * to_seconds(sim_->now() - clock.since);
}

// The next to finish, as a reading of `clock`; infinite when there is none.
FlowNetwork::Follower FlowNetwork::first_of(Clock& clock) {
  if (clock.cls) {
    if (clock.cls->heap.empty()) return {kUnlimited, 0, &clock};
    const Flow& flow = clock.cls->heap.top();
    return {flow.finish, flow.order, &clock};
  }
  if (clock.followers.empty()) return {kUnlimited, 0, &clock};
  const Follower& first = clock.followers.top();
  return {first.finish, first.order, &clock};
}

FlowNetwork::Follower FlowNetwork::seen_by_parent(Clock& clock) {
  Follower first = first_of(clock);
  first.finish = std::max(0.0, first.finish - clock.reading);
  return first;
}

void FlowNetwork::first_changed(Clock& clock) {
  Clock* at = &clock;
  for (; at->parent; at = at->parent) {
    at->parent->followers.replace(at->slot, seen_by_parent(*at));
  }
  touch(*at);
}

void FlowNetwork::follow(Clock& clock, Clock& parent) {
  if (parent.followers.empty() && !parent.parent) {
    parent.reading = 0.0;
    parent.since = sim_->now();
  }
  clock.reading = reading(clock) - reading(parent);
  clock.parent = &parent;
  sim_->set_timer(clock.timer, kNever);
  parent.followers.push(seen_by_parent(clock));
  first_changed(parent);
}

void FlowNetwork::leave(Clock& clock) {
  Clock& parent = *clock.parent;
  clock.reading = reading(clock);
  clock.since = sim_->now();
  clock.rate = 0.0;
  clock.parent = nullptr;
  parent.followers.erase(clock.slot);
  first_changed(parent);
  touch(clock);
}

// Lets `clock` move at a rate of its own from now on.
void FlowNetwork::run_alone(Clock& clock, double rate) {
  if (clock.parent) leave(clock);
  touch(clock);
  if (clock.rate == rate) return;
  clock.reading = reading(clock);
  clock.since = sim_->now();
  clock.rate = rate;
}

// Sets the class's clock back to 0; every finish moves with it. Subtracting near values is exact.
void FlowNetwork::set_back(FlowClass& cls) {
  const double at = reading(cls.clock);
  count_moved(cls, at);
  cls.counted = 0.0;
  cls.started = 0;
  cls.heap.for_each([at](Flow& flow) { flow.finish = std::max(0.0, flow.finish - at); });
  if (cls.clock.parent) {
    cls.clock.reading -= at;
  } else {
    cls.clock.reading = 0.0;
    cls.clock.since = sim_->now();
  }
}

void FlowNetwork::refresh_timers() {
  for (Clock* clock : touched_)
    if (!clock->parent) refresh_timer(*clock);
  touched_.clear();
}

// Sets the timer of a root to its first finish.
void FlowNetwork::refresh_timer(Clock& root) {
  const double finish = first_of(root).finish;
  const double wait = root.rate > 0 ? (finish - root.reading) / root.rate : kUnlimited;
  // Whatever takes more than two centuries waits for a better rate.
  sim_->set_timer(root.timer, wait < 8e9 ? std::max(sim_->now(), after(root.since, to_ns(wait))) : kNever);
}

// ------------------------------------------------------------------------------------------------------- stars

// Takes `limit` (active: flows > 0) out of its star's books, or puts it in.
void FlowNetwork::deactivate(Star& star, Limit& limit) {
  if (limit.flows == 0) return;
  if (limit.holds) {
    star.held.add(-limit.rate * static_cast<double>(limit.flows));
    star.holding_limits.erase(limit.slot);
    if (star.holding_limits.empty()) star.held = {};
  } else {
    star.fair_flows -= limit.flows;
    star.open_limits.erase(limit.slot);
  }
}

void FlowNetwork::activate(Star& star, Limit& limit, bool holds) {
  if (limit.flows == 0) return;
  limit.holds = holds;
  if (holds) {
    star.held.add(limit.rate * static_cast<double>(limit.flows));
    star.holding_limits.push({&limit});
    run_alone(*limit.clock, limit.rate);
  } else {
    star.fair_flows += limit.flows;
    star.open_limits.push({&limit});
    if (limit.clock->parent != &star.clock) {
      if (limit.clock->parent) leave(*limit.clock);
      follow(*limit.clock, star.clock);
    }
  }
}

// Gives class `cls` of a star `flows` flows.
void FlowNetwork::set_star_flows(FlowClass& cls, std::int64_t flows) {
  Star& star = *cls.star;
  Limit& group = cls.group->limit;
  const double own_rate = flows > 0 ? cls.private_capacity / static_cast<double>(flows) : 0.0;
  const Follows next = flows == 0 ? Follows::kNothing : own_rate < cls.cap ? Follows::kOwnLimit : Follows::kGroup;
  const bool was_fair = star.fair_flows > 0;
  const auto guess = [&](double rate) { return rate < kUnlimited && (!was_fair || rate <= star.clock.rate); };

  const std::int64_t group_flows =
      group.flows - (cls.follows == Follows::kGroup ? cls.flows : 0) + (next == Follows::kGroup ? flows : 0);
  if (cls.follows == Follows::kGroup && next != Follows::kGroup) leave(cls.clock);
  if (group_flows != group.flows) {
    const bool was_active = group.flows > 0;
    if (was_active && group_flows > 0) {  // only the count changes
      if (group.holds) {
        star.held.add(group.rate * static_cast<double>(group_flows - group.flows));
      } else {
        star.fair_flows += group_flows - group.flows;
      }
      group.flows = group_flows;
    } else {
      deactivate(star, group);
      group.flows = group_flows;
      if (was_active) {
        if (group.clock->parent) leave(*group.clock);
        group.clock->rate = 0.0;
      } else {
        group.clock->reading = 0.0;
        group.clock->since = sim_->now();
        activate(star, group, guess(group.rate));
      }
    }
  }
  const bool had_own = cls.own.flows > 0;
  if (had_own) deactivate(star, cls.own);
  cls.own.flows = next == Follows::kOwnLimit ? flows : 0;
  cls.own.rate = own_rate;
  if (next == Follows::kOwnLimit) activate(star, cls.own, had_own ? cls.own.holds : guess(own_rate));
  if (next == Follows::kGroup && cls.follows != Follows::kGroup) {
    if (cls.clock.parent) leave(cls.clock);
    follow(cls.clock, *group.clock);
  }
  if (next == Follows::kNothing) run_alone(cls.clock, 0.0);
  cls.follows = next;
  cls.flows = flows;
  settle(star);
}

// Finds the fair rate: what the limits that hold leave, divided by the other flows. For any choice of holding limits
// that is at most the max-min rate, and each wrong choice put right raises it: so the loop ends.
// **Source** Newton's method on the concave sum of min(fair, limit) over flows = capacity.
void FlowNetwork::settle(Star& star) {
  for (;;) {
    const double left = star.capacity - star.held.value - star.held.rest;
    const double fair = star.fair_flows > 0             ? left / static_cast<double>(star.fair_flows)
                        : left >= -kTie * star.capacity ? kUnlimited
                                                        : -kUnlimited;
    if (!star.holding_limits.empty() && star.holding_limits.top().limit->rate * (1.0 - kTie) > fair) {
      Limit& limit = *star.holding_limits.top().limit;
      deactivate(star, limit);
      activate(star, limit, false);
    } else if (!star.open_limits.empty() && star.open_limits.top().limit->rate < fair * (1.0 - kTie)) {
      Limit& limit = *star.open_limits.top().limit;
      deactivate(star, limit);
      activate(star, limit, true);
    } else {
      run_alone(star.clock, star.fair_flows > 0 ? fair : 0.0);
      return;
    }
  }
}

// ------------------------------------------------------------------------------------------- any other shape

// Makes `component_` the classes with flows that are connected to `changed`, with all of their links' capacity left.
void FlowNetwork::gather_active(const FlowClass& changed) {
  ++pass_;
  component_.clear();
  component_links_.clear();
  const auto visit = [&](const FlowClass& cls) {
    for (LinkId link : cls.path) {
      Link& l = links_[link];
      if (l.mark == pass_) continue;
      l.mark = pass_;
      l.left = l.capacity;
      l.unfixed = 0;
      component_links_.push_back(link);
    }
  };
  visit(changed);
  for (std::size_t i = 0; i < component_links_.size(); ++i)  // NOLINT(modernize-loop-convert): visit() adds to it
    for (const ClassId id : links_[component_links_[i]].classes) {
      FlowClass& cls = classes_[id];
      if (cls.flows == 0 || cls.pass == pass_) continue;
      cls.pass = pass_;
      cls.fixed = false;
      component_.push_back(&cls);
      visit(cls);
    }
  for (FlowClass* cls : component_)
    for (LinkId link : cls->path) links_[link].unfixed += cls->flows;
}

// Progressive filling over the classes connected to `changed`. Rates of other components stay.
void FlowNetwork::fill(FlowClass& changed) {
  gather_active(changed);
  std::size_t open = component_.size();
  const auto fix = [&](FlowClass& cls, double rate, LinkId binding) {
    cls.fixed = true;
    cls.next_rate = rate;
    cls.bottleneck = binding;
    --open;
    for (LinkId link : cls.path) {
      links_[link].left -= rate * static_cast<double>(cls.flows);
      links_[link].unfixed -= cls.flows;
    }
  };
  while (open > 0) {
    double level = kUnlimited;
    LinkId binding = kOwnCap;
    for (LinkId link : component_links_) {
      const Link& l = links_[link];
      if (l.unfixed == 0) continue;
      const double fair = std::max(l.capacity * kTie, l.left) / static_cast<double>(l.unfixed);
      if (fair < level) {
        level = fair;
        binding = link;
      }
    }
    // Classes whose own cap is below the level get it; only when there is none does a link bind.
    bool capped = false;
    for (FlowClass* cls : component_) {
      if (cls->fixed || cls->cap > level) continue;
      capped = true;
      fix(*cls, cls->cap, kOwnCap);
    }
    if (capped) continue;
    for (ClassId id : links_[binding].classes) {
      FlowClass& cls = classes_[id];
      if (!cls.fixed && cls.flows > 0) fix(cls, level, binding);
    }
  }
  for (FlowClass* cls : component_)
    if (cls->next_rate != cls->clock.rate) run_alone(cls->clock, cls->next_rate);
}

}  // namespace stallcast
