#ifndef CRIVALS_COMMON_H
#define CRIVALS_COMMON_H
#include <stdint.h>

// Seconds of the monotonic clock.
double rival_now(void);
int rival_no_delay(int fd);
// A connected, blocking socket without delay, or -errno.
int rival_connect(uint16_t port);
// Accepts, blocking; without delay. The descriptor, or -errno.
int rival_accept(int listener, int flags);
// Seconds of processor time of a process so far; negative: unknown.
double rival_processor_time(int pid);

#endif
