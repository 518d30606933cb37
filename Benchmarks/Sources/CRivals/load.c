#define _GNU_SOURCE
#include "CRivals.h"
#include "common.h"
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 262144, EVENTS = 512 };

// MARK: Messages and answers

typedef struct {
  int fd;
  size_t missing;
} client;

// Accept queues are short: after every so many connections the server shows by an echo that it has taken them.
enum { BATCH = 200 };

static int ask_once(int fd, const char *message, size_t size, char *buffer, size_t answer) {
  if (send(fd, message, size, MSG_NOSIGNAL) != (ssize_t)size) return errno;
  ssize_t got = recv(fd, buffer, answer, MSG_WAITALL);
  return got == (ssize_t)answer ? 0 : got < 0 ? (errno == EAGAIN ? ETIMEDOUT : errno) : ECONNRESET;
}

static int echo_once(int fd, const char *message, char *buffer, size_t size) {
  int error = ask_once(fd, message, size, buffer, size);
  return error != 0 ? error : memcmp(message, buffer, size) == 0 ? 0 : EBADMSG;
}

// A blocking connection that gives up waiting after a while.
static int patient_connection(uint16_t port) {
  struct timeval patience = {.tv_sec = LOAD_PATIENCE};
  int fd = rival_connect(port);
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return fd;
}

static void write_message(char *message, size_t size) {
  for (size_t i = 0; i < size; i++) message[i] = (char)('a' + i % 26);
}

static void hang_up(int poller, client *clients, int opened, char *buffer) {
  for (int i = 0; i < opened; i++) close(clients[i].fd);
  free(clients);
  free(buffer);
  if (poller >= 0) close(poller);
}

// What is said, and how much comes back: the same bytes, unless `any`.
typedef struct {
  const char *message;
  size_t size;
  size_t answer;
  int any;
  // Has room for an answer.
  char *buffer;
} conversation;

static int open_clients(
    int poller, const load_plan *plan, client *clients, const conversation *talk, int *opened) {
  for (; *opened < plan->connections; ++*opened) {
    int fd = patient_connection(plan->port);
    if (fd < 0) return -fd;
    clients[*opened] = (client){.fd = fd, .missing = talk->answer};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[*opened]};
    int error = 0;
    if (*opened % BATCH == BATCH - 1) error = ask_once(fd, talk->message, talk->size, talk->buffer, talk->answer);
    if (error == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) != 0) error = errno;
    if (error == 0 && epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) error = errno;
    if (error != 0) {
      close(fd);
      return error;
    }
  }
  return 0;
}

// One answer, or a piece of one; 1: it is whole, and the next message is on its way.
static int answer(client *it, const conversation *talk, const char **stage) {
  ssize_t got = recv(it->fd, talk->buffer, it->missing, 0);
  *stage = "receiving an answer";
  if (got == 0) return -ECONNRESET;
  if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  size_t before = talk->answer - it->missing;
  if (!talk->any && memcmp(talk->buffer, talk->message + before, (size_t)got) != 0) return -EBADMSG;
  it->missing -= (size_t)got;
  if (it->missing > 0) return 0;
  it->missing = talk->answer;
  *stage = "sending a message";
  return send(it->fd, talk->message, talk->size, MSG_NOSIGNAL) == (ssize_t)talk->size ? 1 : -errno;
}

static load_result run_conversation(int poller, const load_plan *plan, client *clients, const conversation *talk) {
  struct epoll_event events[EVENTS];
  load_result result = {.processor = -1};
  for (int i = 0; i < plan->connections; i++) {
    if (send(clients[i].fd, talk->message, talk->size, MSG_NOSIGNAL) != (ssize_t)talk->size)
      return load_failure("sending the first messages", errno);
  }
  load_window window = load_window_open(plan);
  for (;;) {
    int ready = epoll_wait(poller, events, EVENTS, LOAD_PATIENCE * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return load_failure("waiting for answers", errno);
    if (ready == 0) return load_failure("waiting for answers", ETIMEDOUT);
    double whole = 0;
    for (int i = 0; i < ready; i++) {
      const char *stage = NULL;
      int done = answer(events[i].data.ptr, talk, &stage);
      if (done < 0) return load_failure(stage, -done);
      whole += done;
    }
    if (load_window_count(&window, whole, &result)) return result;
  }
}

static load_result converse(const load_plan *plan, size_t answer, int any) {
  int opened = 0;
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0) return load_failure("making an epoll instance", errno);
  client *clients = calloc((size_t)plan->connections, sizeof *clients);
  char *message = malloc(plan->size + answer);
  load_result result = load_failure("making room", ENOMEM);
  if (clients != NULL && message != NULL) {
    write_message(message, plan->size);
    conversation talk = {
        .message = message, .size = plan->size, .answer = answer, .any = any, .buffer = message + plan->size};
    int error = open_clients(poller, plan, clients, &talk, &opened);
    result = error != 0 ? load_failure("connecting", error) : run_conversation(poller, plan, clients, &talk);
  }
  hang_up(poller, clients, opened, message);
  return result;
}

load_result load_echo(const load_plan *plan) { return converse(plan, plan->size, 0); }

load_result load_answers(const load_plan *plan) { return converse(plan, plan->answer, 1); }

// MARK: Idle connections

struct load_crowd {
  uint16_t port;
  size_t size;
  int count;
  int *fds;
};

load_crowd *load_crowd_make(const load_plan *plan) {
  load_crowd *crowd = calloc(1, sizeof *crowd);
  if (crowd != NULL) *crowd = (load_crowd){.port = plan->port, .size = plan->size};
  return crowd;
}

load_result load_crowd_grow(load_crowd *crowd, int connections) {
  int *fds = realloc(crowd->fds, (size_t)connections * sizeof *fds);
  char *buffer = malloc(2 * crowd->size);
  if (fds != NULL) crowd->fds = fds;
  load_result result = {.processor = -1};
  if (fds == NULL || buffer == NULL) result = load_failure("making room", ENOMEM);
  if (buffer != NULL) write_message(buffer + crowd->size, crowd->size);
  while (result.error == 0 && crowd->count < connections) {
    int fd = patient_connection(crowd->port);
    int error = fd < 0 ? -fd : echo_once(fd, buffer + crowd->size, buffer, crowd->size);
    if (error != 0) result = load_failure(fd < 0 ? "connecting" : "echoing once", error);
    if (fd >= 0) crowd->fds[crowd->count++] = fd;
  }
  free(buffer);
  return result;
}

void load_crowd_free(load_crowd *crowd) {
  if (crowd == NULL) return;
  for (int i = 0; i < crowd->count; i++) close(crowd->fds[i]);
  free(crowd->fds);
  free(crowd);
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
  if (fd < 0) return load_failure("connecting", -fd);
  if (poller < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0)
    return load_failure("preparing the connection", errno);
  load_window window = load_window_open(plan);
  for (int done = 0; !done;) {
    int full = 0;
    while (!full && !done) {
      ssize_t now = send(fd, pattern + sent, length - sent, MSG_NOSIGNAL);
      if (now < 0 && errno != EAGAIN && errno != EINTR) {
        result = load_failure("sending", errno);
        done = 1;
      } else if (now < 0) {
        full = 1;
      } else {
        sent = (sent + (size_t)now) % length;
      }
      ssize_t got = recv(fd, answers, sizeof answers, 0);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        result = load_failure("receiving acknowledgements", got == 0 ? ECONNRESET : errno);
        done = 1;
      } else if (got > 0 && load_window_count(&window, (double)got * (double)plan->acknowledge, &result)) {
        done = 1;
      }
    }
    if (!done && epoll_wait(poller, &event, 1, LOAD_PATIENCE * 1000) == 0) {
      result = load_failure("waiting for acknowledgements", ETIMEDOUT);
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
  if (pattern == NULL) return load_failure("making room", ENOMEM);
  for (size_t i = 0; i < lines * plan->size; i++) pattern[i] = (char)('a' + i % plan->size % 26);
  for (size_t i = 1; i <= lines; i++) memcpy(pattern + i * plan->size - 2, "\r\n", 2);
  load_result result = stream(plan, pattern, lines * plan->size);
  free(pattern);
  return result;
}

load_result load_chunks(const load_plan *plan) {
  char *pattern = malloc(ROOM);
  if (pattern == NULL) return load_failure("making room", ENOMEM);
  memset(pattern, 'x', ROOM);
  load_result result = stream(plan, pattern, ROOM);
  free(pattern);
  return result;
}

load_result load_drain(const load_plan *plan) {
  load_result result = {.processor = -1};
  int fd = rival_connect(plan->port);
  if (fd < 0) return load_failure("connecting", -fd);
  struct timeval patience = {.tv_sec = LOAD_PATIENCE};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  load_window window = load_window_open(plan);
  for (;;) {
    // The kernel throws the bytes away: what is measured is the sender, not this loop.
    ssize_t got = recv(fd, NULL, 4 << 20, MSG_TRUNC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      result = load_failure("receiving", got == 0 ? ECONNRESET : errno == EAGAIN ? ETIMEDOUT : errno);
      break;
    }
    if (load_window_count(&window, (double)got, &result)) break;
  }
  close(fd);
  return result;
}
