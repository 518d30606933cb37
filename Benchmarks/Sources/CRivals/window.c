#include "window.h"
#include "common.h"

#include <errno.h>

load_window load_window_open(const load_plan *plan) {
  return (load_window){.plan = plan, .begun = rival_now(), .opened = 0, .processor = -1, .units = 0};
}

int load_window_count(load_window *it, double units, load_result *result) {
  double now = rival_now();
  if (now - it->begun > it->plan->warm_up + it->plan->seconds + LOAD_LIMIT) {
    *result = load_failure("waiting until there is enough to measure", ETIMEDOUT);
    return 1;
  }
  if (it->opened == 0) {
    it->units += units;
    if (now - it->begun >= it->plan->warm_up && it->units >= it->plan->least) {
      it->units = 0;
      it->processor = rival_processor_time(it->plan->pid);
      it->opened = rival_now();
    }
    return 0;
  }
  it->units += units;
  if (now - it->opened < it->plan->seconds || it->units < it->plan->least) return 0;
  double processor = rival_processor_time(it->plan->pid);
  result->units = it->units;
  result->seconds = now - it->opened;
  result->processor = it->processor >= 0 && processor >= 0 ? processor - it->processor : -1;
  return 1;
}

load_result load_failure(const char *stage, int error) {
  return (load_result){.error = error, .stage = stage, .processor = -1};
}
