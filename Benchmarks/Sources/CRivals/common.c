#define _GNU_SOURCE
#include "common.h"
#include "CRivals.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

double rival_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double rival_processor_time(int pid) {
  clockid_t clock;
  struct timespec time;
  if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double rival_thread_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int rival_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

int rival_no_delay(int fd) {
  int on = 1;
  return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int rival_listen(uint16_t *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 4096) != 0
      || getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
    int error = errno;
    close(fd);
    return -error;
  }
  *port = ntohs(address.sin_port);
  return fd;
}

int rival_accept(int listener, int flags) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | flags);
    if (fd >= 0) {
      rival_no_delay(fd);
      return fd;
    }
    if (errno != EINTR && errno != ECONNABORTED) return -errno;
  }
}

int rival_connect(uint16_t port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    int error = errno;
    close(fd);
    return -error;
  }
  rival_no_delay(fd);
  return fd;
}
