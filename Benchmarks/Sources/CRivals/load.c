#define _GNU_SOURCE
#include "CRivals.h"
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 262144, EVENTS = 512, PATIENCE = 10 };

// The window in which units count: it opens when the warm-up is over and closes with the last unit.
typedef struct {
  const load_plan *plan;
  double begun;
  double opened;
  double processor;
  double units;
} window;

static window open_window(const load_plan *plan) {
  return (window){.plan = plan, .begun = rival_now(), .opened = 0, .processor = -1, .units = 0};
}

// Counts what happened just now. Whether the window is closed; then `result` is filled in.
static int count(window *it, double units, load_result *result) {
  double now = rival_now();
  if (it->opened == 0) {
    if (now - it->begun >= it->plan->warm_up) {
      it->processor = rival_processor_time(it->plan->pid);
      it->opened = rival_now();
    }
    return 0;
  }
  it->units += units;
  if (now - it->opened < it->plan->seconds) return 0;
  double processor = rival_processor_time(it->plan->pid);
  result->units = it->units;
  result->seconds = now - it->opened;
  result->processor = it->processor >= 0 && processor >= 0 ? processor - it->processor : -1;
  return 1;
}

static load_result failure(const char *stage, int error) {
  return (load_result){.error = error, .stage = stage, .processor = -1};
}

// MARK: Echo

typedef struct {
  int fd;
  size_t missing;
} client;

static int hang_up(int poller, client *clients, int opened, char *buffer) {
  for (int i = 0; i < opened; i++) close(clients[i].fd);
  free(clients);
  free(buffer);
  if (poller >= 0) close(poller);
  return 0;
}

static int open_clients(int poller, const load_plan *plan, client *clients, int *opened) {
  for (; *opened < plan->connections; ++*opened) {
    int fd = rival_connect(plan->port);
    if (fd < 0) return -fd;
    clients[*opened] = (client){.fd = fd, .missing = plan->size};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[*opened]};
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) {
      int error = errno;
      close(fd);
      return error;
    }
  }
  return 0;
}

// One answer, or a piece of one; 1: it is whole, and the next message is on its way.
static int answer(client *it, const char *message, char *buffer, size_t size, const char **stage) {
  ssize_t got = recv(it->fd, buffer, it->missing, 0);
  *stage = "receiving an echo";
  if (got == 0) return -ECONNRESET;
  if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  if (memcmp(buffer, message + (size - it->missing), (size_t)got) != 0) return -EBADMSG;
  it->missing -= (size_t)got;
  if (it->missing > 0) return 0;
  it->missing = size;
  *stage = "sending a message";
  return send(it->fd, message, size, MSG_NOSIGNAL) == (ssize_t)size ? 1 : -errno;
}

static load_result run_echo(int poller, const load_plan *plan, client *clients, char *buffer) {
  char *message = buffer + plan->size;
  struct epoll_event events[EVENTS];
  load_result result = {.processor = -1};
  for (size_t i = 0; i < plan->size; i++) message[i] = (char)('a' + i % 26);
  for (int i = 0; i < plan->connections; i++) {
    if (send(clients[i].fd, message, plan->size, MSG_NOSIGNAL) != (ssize_t)plan->size)
      return failure("sending the first messages", errno);
  }
  window window = open_window(plan);
  for (;;) {
    int ready = epoll_wait(poller, events, EVENTS, PATIENCE * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return failure("waiting for echoes", errno);
    if (ready == 0) return failure("waiting for echoes", ETIMEDOUT);
    double whole = 0;
    for (int i = 0; i < ready; i++) {
      const char *stage = NULL;
      int done = answer(events[i].data.ptr, message, buffer, plan->size, &stage);
      if (done < 0) return failure(stage, -done);
      whole += done;
    }
    if (count(&window, whole, &result)) return result;
  }
}

load_result load_echo(const load_plan *plan) {
  int opened = 0;
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0) return failure("making an epoll instance", errno);
  client *clients = calloc((size_t)plan->connections, sizeof *clients);
  char *buffer = malloc(2 * plan->size);
  load_result result = failure("making room", ENOMEM);
  if (clients != NULL && buffer != NULL) {
    int error = open_clients(poller, plan, clients, &opened);
    result = error != 0 ? failure("connecting", error) : run_echo(poller, plan, clients, buffer);
  }
  hang_up(poller, clients, opened, buffer);
  return result;
}

// MARK: Streams

// Sends `pattern` round and round until the window is closed by the acknowledgements that come back.
static load_result stream(const load_plan *plan, const char *pattern, size_t length) {
  char answers[4096];
  load_result result = {.processor = -1};
  size_t sent = 0;
  int fd = rival_connect(plan->port);
  int poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET};
  if (fd < 0) return failure("connecting", -fd);
  if (poller < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0)
    return failure("preparing the connection", errno);
  window window = open_window(plan);
  for (int done = 0; !done;) {
    int full = 0;
    while (!full && !done) {
      ssize_t now = send(fd, pattern + sent, length - sent, MSG_NOSIGNAL);
      if (now < 0 && errno != EAGAIN && errno != EINTR) {
        result = failure("sending", errno);
        done = 1;
      } else if (now < 0) {
        full = 1;
      } else {
        sent = (sent + (size_t)now) % length;
      }
      ssize_t got = recv(fd, answers, sizeof answers, 0);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        result = failure("receiving acknowledgements", got == 0 ? ECONNRESET : errno);
        done = 1;
      } else if (got > 0 && count(&window, (double)got * (double)plan->acknowledge, &result)) {
        done = 1;
      }
    }
    if (!done && epoll_wait(poller, &event, 1, PATIENCE * 1000) == 0) {
      result = failure("waiting for acknowledgements", ETIMEDOUT);
      done = 1;
    }
  }
  close(poller);
  close(fd);
  return result;
}

load_result load_lines(const load_plan *plan) {
  size_t lines = ROOM / plan->size > 0 ? ROOM / plan->size : 1;
  char *pattern = malloc(lines * plan->size);
  if (pattern == NULL) return failure("making room", ENOMEM);
  for (size_t i = 0; i < lines * plan->size; i++) pattern[i] = (char)('a' + i % plan->size % 26);
  for (size_t i = 1; i <= lines; i++) memcpy(pattern + i * plan->size - 2, "\r\n", 2);
  load_result result = stream(plan, pattern, lines * plan->size);
  free(pattern);
  return result;
}

load_result load_chunks(const load_plan *plan) {
  char *pattern = malloc(ROOM);
  if (pattern == NULL) return failure("making room", ENOMEM);
  memset(pattern, 'x', ROOM);
  load_result result = stream(plan, pattern, ROOM);
  free(pattern);
  return result;
}

load_result load_drain(const load_plan *plan) {
  load_result result = {.processor = -1};
  int fd = rival_connect(plan->port);
  if (fd < 0) return failure("connecting", -fd);
  struct timeval patience = {.tv_sec = PATIENCE};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  window window = open_window(plan);
  for (;;) {
    // The kernel throws the bytes away: what is measured is the sender, not this loop.
    ssize_t got = recv(fd, NULL, 4 << 20, MSG_TRUNC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      result = failure("receiving", got == 0 ? ECONNRESET : errno == EAGAIN ? ETIMEDOUT : errno);
      break;
    }
    if (count(&window, (double)got, &result)) break;
  }
  close(fd);
  return result;
}
