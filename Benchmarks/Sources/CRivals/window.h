#ifndef CRIVALS_WINDOW_H
#define CRIVALS_WINDOW_H
#include "CRivals.h"

// Seconds after which a server that says nothing is given up.
enum { LOAD_PATIENCE = 10 };
// Seconds after which a server that says too little is.
enum { LOAD_LIMIT = 60 };

// The window in which units count: it opens when the warm-up is over and closes with the last unit.
typedef struct {
  const load_plan *plan;
  double begun;
  double opened;
  double processor;
  double units;
} load_window;

load_window load_window_open(const load_plan *plan);
// Counts what happened just now. Whether the window is closed; then `result` is filled in.
int load_window_count(load_window *window, double units, load_result *result);
load_result load_failure(const char *stage, int error);

#endif
