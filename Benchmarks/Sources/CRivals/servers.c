#define _GNU_SOURCE
#include "CRivals.h"
#include "common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 65536, EVENTS = 256 };

// What a connection of the epoll servers keeps: bytes that could not be sent yet, or a line that is not whole.
typedef struct {
  int fd;
  size_t kept;
  size_t capacity;
  char *bytes;
  long lines;
} connection;

static void forget(int poller, connection *it) {
  epoll_ctl(poller, EPOLL_CTL_DEL, it->fd, NULL);
  close(it->fd);
  free(it->bytes);
  free(it);
}

static int keep(connection *it, const char *bytes, size_t count) {
  if (it->capacity - it->kept < count) {
    size_t capacity = it->kept + count + ROOM;
    char *grown = realloc(it->bytes, capacity);
    if (grown == NULL) return -ENOMEM;
    it->bytes = grown;
    it->capacity = capacity;
  }
  memcpy(it->bytes + it->kept, bytes, count);
  it->kept += count;
  return 0;
}

static int watch(int poller, connection *it, uint32_t events, int how) {
  struct epoll_event event = {.events = events, .data.ptr = it};
  return epoll_ctl(poller, how, it->fd, &event) == 0 ? 0 : -errno;
}

// What the two servers do with received bytes; 0, or a reason to close.
typedef int (*consumer)(int poller, connection *it, const char *bytes, size_t count, long argument);

static int serve(int listener, consumer consume, long argument, int (*writable)(int, connection *)) {
  static char buffer[ROOM];
  struct epoll_event events[EVENTS];
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0) return -errno;
  struct epoll_event acceptance = {.events = EPOLLIN, .data.ptr = NULL};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, listener, &acceptance) != 0) return -errno;
  for (;;) {
    int count = epoll_wait(poller, events, EVENTS, -1);
    if (count < 0 && errno != EINTR) return -errno;
    for (int i = 0; i < count; i++) {
      connection *it = events[i].data.ptr;
      if (it == NULL) {
        int fd = rival_accept(listener, SOCK_NONBLOCK);
        if (fd < 0) return fd;
        connection *added = calloc(1, sizeof *added);
        if (added == NULL) return -ENOMEM;
        added->fd = fd;
        int error = watch(poller, added, EPOLLIN, EPOLL_CTL_ADD);
        if (error != 0) return error;
        continue;
      }
      int failed = 0;
      if (events[i].events & EPOLLOUT) failed = writable(poller, it);
      if (!failed && (events[i].events & ~EPOLLOUT)) {
        ssize_t got = recv(it->fd, buffer, ROOM, 0);
        if (got > 0) {
          failed = consume(poller, it, buffer, (size_t)got, argument);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
          failed = 1;
        }
      }
      if (failed) forget(poller, it);
    }
  }
}

// MARK: Echo

static int echo(int poller, connection *it, const char *bytes, size_t count, long argument) {
  (void)argument;
  size_t sent = 0;
  if (it->kept == 0) {
    ssize_t now = send(it->fd, bytes, count, MSG_NOSIGNAL);
    if (now < 0 && errno != EAGAIN && errno != EINTR) return -errno;
    if (now > 0) sent = (size_t)now;
  }
  if (sent == count) return 0;
  int error = keep(it, bytes + sent, count - sent);
  // Until the client has taken this, nothing more is received.
  return error != 0 ? error : watch(poller, it, EPOLLOUT, EPOLL_CTL_MOD);
}

static int send_kept(int poller, connection *it) {
  ssize_t now = send(it->fd, it->bytes, it->kept, MSG_NOSIGNAL);
  if (now < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  memmove(it->bytes, it->bytes + now, it->kept - (size_t)now);
  it->kept -= (size_t)now;
  return it->kept == 0 ? watch(poller, it, EPOLLIN, EPOLL_CTL_MOD) : 0;
}

int rival_serve_echo(int listener) { return serve(listener, echo, 0, send_kept); }

// MARK: Answers

typedef struct {
  size_t message;
  const char *header;
  size_t header_size;
  const char *body;
  size_t body_size;
} answers;

// `lines` counts the bytes of messages.
static int reply(int poller, connection *it, const char *bytes, size_t count, long argument) {
  (void)bytes;
  const answers *with = (const answers *)argument;
  it->lines += (long)count;
  int error = 0;
  for (; error == 0 && it->lines >= (long)with->message; it->lines -= (long)with->message) {
    error = echo(poller, it, with->header, with->header_size, 0);
    if (error == 0) error = echo(poller, it, with->body, with->body_size, 0);
  }
  return error;
}

int rival_serve_answers(int listener, size_t message, const char *header, size_t body) {
  char *bytes = malloc(body);
  if (bytes == NULL) return -ENOMEM;
  memset(bytes, 'x', body);
  answers with = {
      .message = message, .header = header, .header_size = strlen(header), .body = bytes, .body_size = body};
  int error = serve(listener, reply, (long)&with, send_kept);
  free(bytes);
  return error;
}

// MARK: Lines

// The line as a caller gets it: memory of its own. It is used, so that no compiler leaves it out.
static int hand_out(const char *line, size_t count) {
  char *copy = malloc(count + 1);
  if (copy == NULL) return -ENOMEM;
  memcpy(copy, line, count);
  __asm__ volatile("" : : "r"(copy) : "memory");
  free(copy);
  return 0;
}

static int split(int poller, connection *it, const char *bytes, size_t count, long acknowledge) {
  (void)poller;
  int error = keep(it, bytes, count);
  if (error != 0) return error;
  size_t start = 0;
  for (;;) {
    char *end = memmem(it->bytes + start, it->kept - start, "\r\n", 2);
    if (end == NULL) break;
    size_t next = (size_t)(end - it->bytes) + 2;
    error = hand_out(it->bytes + start, next - start);
    if (error != 0) return error;
    start = next;
    if (++it->lines % acknowledge == 0 && send(it->fd, "a", 1, MSG_NOSIGNAL) != 1) return -errno;
  }
  memmove(it->bytes, it->bytes + start, it->kept - start);
  it->kept -= start;
  return 0;
}

static int nothing(int poller, connection *it) {
  (void)poller;
  (void)it;
  return 0;
}

int rival_serve_lines(int listener, long acknowledge) { return serve(listener, split, acknowledge, nothing); }

// MARK: Bulk

int rival_serve_receive(int listener, size_t chunk, long acknowledge) {
  for (;;) {
    int fd = rival_accept(listener, 0);
    if (fd < 0) return fd;
    for (long chunks = 1;; chunks++) {
      char *memory = malloc(chunk);
      if (memory == NULL) return -ENOMEM;
      size_t have = 0;
      while (have < chunk) {
        ssize_t got = recv(fd, memory + have, chunk - have, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        have += (size_t)got;
      }
      __asm__ volatile("" : : "r"(memory) : "memory");
      free(memory);
      if (have < chunk || (chunks % acknowledge == 0 && send(fd, "a", 1, MSG_NOSIGNAL) != 1)) break;
    }
    close(fd);
  }
}

int rival_serve_send(int listener, size_t chunk) {
  char *memory = malloc(chunk);
  if (memory == NULL) return -ENOMEM;
  memset(memory, 'x', chunk);
  for (;;) {
    int fd = rival_accept(listener, 0);
    if (fd < 0) {
      free(memory);
      return fd;
    }
    size_t sent = 0;
    for (;;) {
      ssize_t now = send(fd, memory + sent, chunk - sent, MSG_NOSIGNAL);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) break;
      sent = (sent + (size_t)now) % chunk;
    }
    close(fd);
  }
}
