// A layer of faults under a program's sockets: preloaded, it stands between the program and the C library, and lets
// system calls fail, or do less than they were asked, as the kernel may let them. What the program shows its user must
// be the same as without it. README.md says which faults there are.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// Of a hundred calls, so many are faulty.
static struct {
  const char *name;
  unsigned percent;
} faults[] = {{"interrupt", 20}, {"short", 40}, {"abort", 10}, {"accept", 0}, {"open", 0}};
enum fault { INTERRUPT, SHORT, ABORT, ACCEPT, OPEN, FAULTS };

static uint64_t seed = 1;

// The real call. It is looked up at its first use: others' constructors run before this library's, and make calls.
#define REAL(name)                                                       \
  static __typeof__(&name) real;                                         \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((noreturn)) static void refuse(const char *word) {
  const char *known = "interrupt=PERCENT, short=, abort=, accept=, open=, seed=NUMBER";
  fprintf(stderr, "SOCKETLAB_FAULTS: %s is none of %s\n", word, known);
  _exit(2);
}

// "interrupt=20,short=40,seed=7": what is not named keeps its share.
__attribute__((constructor)) static void read_settings(void) {
  const char *settings = getenv("SOCKETLAB_FAULTS");
  if (!settings) return;
  char *copy = strdup(settings), *rest = copy;
  for (char *word; copy && (word = strtok_r(rest, ",", &rest));) {
    char *equals = strchr(word, '='), *end = NULL;
    if (!equals) refuse(word);
    unsigned long long value = strtoull(equals + 1, &end, 10);
    if (end == equals + 1 || *end) refuse(word);
    *equals = 0;
    int found = 0;
    for (int fault = 0; fault < FAULTS; fault++) {
      if (strcmp(word, faults[fault].name) || value > 100) continue;
      faults[fault].percent = (unsigned)value;
      found = 1;
    }
    if (!strcmp(word, "seed")) {
      seed = value;
      found = 1;
    }
    *equals = '=';
    if (!found) refuse(word);
  }
  free(copy);
}

// Each thread draws by itself: two that share a state would have to wait for each other.
static uint64_t drawn(void) {
  static atomic_uint threads;
  static _Thread_local uint64_t state;
  if (!state) {
    uint64_t thread = atomic_fetch_add(&threads, 1) + 1;
    state = (seed + 1) * 0x9e3779b97f4a7c15u + thread * 0xbf58476d1ce4e5b9u;
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545f4914f6cdd1du >> 16;
}

static int happens(enum fault fault) { return drawn() % 100 < faults[fault].percent; }

// Whether the descriptor is a socket of the program's. Its standard streams are the lab's, though they may be sockets.
static int is_socket(int fd) {
  int type, code = errno;
  socklen_t size = sizeof type;
  int answer = fd > STDERR_FILENO && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
  errno = code;
  return answer;
}

static int interrupts(int fd) {
  if (!is_socket(fd) || !happens(INTERRUPT)) return 0;
  errno = EINTR;
  return 1;
}

// Who waits for edges of a descriptor. After a call that did less than it could the kernel gives no edge, because for it
// nothing has changed; the layer plays bytes, or room, that came a moment later, and those come with one.
enum { DESCRIPTORS = 1 << 16 };
static struct edge {
  atomic_int epoll;  // plus one; 0: nobody waits for edges
  uint32_t events;
  epoll_data_t data;
} edges[DESCRIPTORS];

static void give_edge(int fd) {
  int epoll = fd < DESCRIPTORS ? atomic_load(&edges[fd].epoll) : 0, code = errno;
  if (!epoll) return;
  struct epoll_event event = {.events = edges[fd].events, .data = edges[fd].data};
  epoll_ctl(epoll - 1, EPOLL_CTL_MOD, fd, &event);
  errno = code;
}

// How many bytes of so many a call may move: all, one, or some.
static size_t part(int fd, size_t count) {
  if (count < 2 || !is_socket(fd) || !happens(SHORT)) return count;
  return drawn() % 8 ? 1 + drawn() % count : 1;
}

// After a call that might have moved `asked` bytes, and was let move `part` of them.
static ssize_t moved(int fd, ssize_t answer, size_t part, size_t asked, int flags) {
  if (answer > 0 && (size_t)answer == part && part < asked && !(flags & MSG_PEEK)) give_edge(fd);
  return answer;
}

// The pieces with no more than `part` bytes of them, in memory of the caller's; returns their number.
static int cut(const struct iovec *from, int pieces, struct iovec *to, size_t part) {
  int used = 0;
  for (; used < pieces && (part || !used); used++) {
    to[used] = from[used];
    if (to[used].iov_len > part) to[used].iov_len = part;
    part -= to[used].iov_len;
  }
  return used;
}

static size_t sum(const struct iovec *pieces, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += pieces[i].iov_len;
  return bytes;
}

enum { PIECES = 1024 };

// What moves bytes.

ssize_t recv(int fd, void *bytes, size_t count, int flags) {
  REAL(recv);
  if (interrupts(fd)) return -1;
  size_t less = part(fd, count);
  return moved(fd, real(fd, bytes, less, flags), less, count, flags);
}

ssize_t recvfrom(int fd, void *bytes, size_t count, int flags, struct sockaddr *address, socklen_t *size) {
  REAL(recvfrom);
  if (interrupts(fd)) return -1;
  size_t less = part(fd, count);
  return moved(fd, real(fd, bytes, less, flags, address, size), less, count, flags);
}

ssize_t read(int fd, void *bytes, size_t count) {
  REAL(read);
  if (interrupts(fd)) return -1;
  size_t less = part(fd, count);
  return moved(fd, real(fd, bytes, less), less, count, 0);
}

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
  REAL(send);
  if (interrupts(fd)) return -1;
  size_t less = part(fd, count);
  return moved(fd, real(fd, bytes, less, flags), less, count, 0);
}

ssize_t sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t size) {
  REAL(sendto);
  if (interrupts(fd)) return -1;
  size_t less = part(fd, count);
  return moved(fd, real(fd, bytes, less, flags, address, size), less, count, 0);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  REAL(write);
  if (interrupts(fd)) return -1;
  size_t less = part(fd, count);
  return moved(fd, real(fd, bytes, less), less, count, 0);
}

ssize_t readv(int fd, const struct iovec *pieces, int count) {
  REAL(readv);
  struct iovec less[PIECES];
  if (count > PIECES || count < 1) return real(fd, pieces, count);
  if (interrupts(fd)) return -1;
  size_t asked = sum(pieces, count), some = part(fd, asked);
  return moved(fd, real(fd, less, cut(pieces, count, less, some)), some, asked, 0);
}

ssize_t writev(int fd, const struct iovec *pieces, int count) {
  REAL(writev);
  struct iovec less[PIECES];
  if (count > PIECES || count < 1) return real(fd, pieces, count);
  if (interrupts(fd)) return -1;
  size_t asked = sum(pieces, count), some = part(fd, asked);
  return moved(fd, real(fd, less, cut(pieces, count, less, some)), some, asked, 0);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
  REAL(recvmsg);
  struct iovec less[PIECES], *all = message->msg_iov;
  size_t count = message->msg_iovlen;
  if (count > PIECES || count < 1) return real(fd, message, flags);
  if (interrupts(fd)) return -1;
  size_t asked = sum(all, (int)count), some = part(fd, asked);
  message->msg_iovlen = (size_t)cut(all, (int)count, less, some);
  message->msg_iov = less;
  ssize_t answer = moved(fd, real(fd, message, flags), some, asked, flags);
  message->msg_iov = all;
  message->msg_iovlen = count;
  return answer;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  REAL(sendmsg);
  struct iovec less[PIECES];
  if (message->msg_iovlen > PIECES || message->msg_iovlen < 1) return real(fd, message, flags);
  if (interrupts(fd)) return -1;
  struct msghdr copy = *message;
  int count = (int)message->msg_iovlen;
  size_t asked = sum(message->msg_iov, count), some = part(fd, asked);
  copy.msg_iovlen = (size_t)cut(message->msg_iov, count, less, some);
  copy.msg_iov = less;
  return moved(fd, real(fd, &copy, flags), some, asked, 0);
}

// What makes connections, and ends them.

static int cannot_accept(int fd) {
  static const int shortages[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};
  if (interrupts(fd)) return 1;
  if (!is_socket(fd)) return 0;
  if (happens(ABORT)) {
    errno = ECONNABORTED;
    return 1;
  }
  if (!happens(ACCEPT)) return 0;
  errno = shortages[drawn() % 4];
  return 1;
}

int accept(int fd, struct sockaddr *address, socklen_t *size) {
  REAL(accept);
  return cannot_accept(fd) ? -1 : real(fd, address, size);
}

int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags) {
  REAL(accept4);
  return cannot_accept(fd) ? -1 : real(fd, address, size, flags);
}

int socket(int family, int type, int protocol) {
  REAL(socket);
  if (!happens(OPEN)) return real(family, type, protocol);
  errno = drawn() % 2 ? EMFILE : ENFILE;
  return -1;
}

// The connection goes on being made, as it does when a signal comes in between.
int connect(int fd, const struct sockaddr *address, socklen_t size) {
  REAL(connect);
  int answer = real(fd, address, size);
  if (answer == -1 && errno == EINPROGRESS && happens(INTERRUPT)) errno = EINTR;
  return answer;
}

// Linux has closed the descriptor by the time that it says so: who closes it again closes somebody else's.
int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < DESCRIPTORS) atomic_store(&edges[fd].epoll, 0);
  int is_faulty = is_socket(fd) && happens(INTERRUPT), answer = real(fd);
  if (answer || !is_faulty) return answer;
  errno = EINTR;
  return -1;
}

// What waits.

int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event) {
  REAL(epoll_ctl);
  int is_kept = fd >= 0 && fd < DESCRIPTORS;
  if (is_kept) atomic_store(&edges[fd].epoll, 0);
  int answer = real(epoll, what, fd, event);
  if (answer || !is_kept || !event || what == EPOLL_CTL_DEL) return answer;
  if (!(event->events & EPOLLET) || event->events & EPOLLONESHOT) return answer;
  edges[fd].events = event->events;
  edges[fd].data = event->data;
  atomic_store(&edges[fd].epoll, epoll + 1);
  return answer;
}

static int wait_is_interrupted(void) {
  if (!happens(INTERRUPT)) return 0;
  errno = EINTR;
  return 1;
}

int epoll_wait(int fd, struct epoll_event *events, int room, int timeout) {
  REAL(epoll_wait);
  return wait_is_interrupted() ? -1 : real(fd, events, room, timeout);
}

int epoll_pwait(int fd, struct epoll_event *events, int room, int timeout, const sigset_t *mask) {
  REAL(epoll_pwait);
  return wait_is_interrupted() ? -1 : real(fd, events, room, timeout, mask);
}

int poll(struct pollfd *watched, nfds_t count, int timeout) {
  REAL(poll);
  return wait_is_interrupted() ? -1 : real(watched, count, timeout);
}

int ppoll(struct pollfd *watched, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
  REAL(ppoll);
  return wait_is_interrupted() ? -1 : real(watched, count, timeout, mask);
}
