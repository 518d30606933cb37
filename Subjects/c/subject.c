/* Plain sockets and epoll as a subject of SocketLab: the smallest complete one. TLS is in tls.c. The protocol is in
   ../README.md. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "tls.h"

enum { AHEAD = 256 << 10, CHUNK = 64 << 10, READS = 1, WRITES = 2 };
typedef enum { IDLE, CONNECTING, OPEN, LISTENING } state;

typedef struct operation {
  struct operation *next;
  char until; /* 'a'vailable, 'l'ength, 'd'elimiter; of a write 'w'; where TLS begins 't', in both queues */
  char *data; /* a delimiter, or what is written; of TLS the call */
  size_t length, done, limit;
  long tag;
  double timeout;
  int64_t deadline;
} operation;

typedef struct { union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; struct sockaddr_un path; };
                 socklen_t length; } address;

typedef struct sock {
  struct sock *next;
  char name[64], path[108];
  state state;
  int fd, second; /* a listener has one of each family */
  address there; /* what it was told to connect to */
  bool asked_for_tls, is_secure, ended_by_peer, waits_for_peer; /* TLS can't write before more has come */
  char failure[120]; /* of TLS, told when what came before it is read */
  int wire_error; /* the first, which the kernel tells once */
  int end_after;
  int64_t deadline;
  char *bytes;
  size_t count, room;
  operation *reads, *writes;
  tls *tls; /* NULL until it begins */
} sock;

static sock *sockets;
static char *outline; /* the line of the case: reactions are read from it */
static int *times_left, poller, children;
static bool is_over = true;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *must(void *memory) {
  if (!memory) abort();
  return memory;
}

/* -- JSON: values are pointers into the line, which is known to be well-formed. */

static const char *skip_text(const char *at) {
  for (at++; *at != '"'; at++) if (*at == '\\') at++;
  return at + 1;
}

static const char *skip(const char *at) {
  int depth = 0;
  do {
    if (*at == '"') { at = skip_text(at); continue; }
    if (*at == '{' || *at == '[') depth++;
    if (*at == '}' || *at == ']') depth--;
    at++;
  } while (depth > 0 || (*at && !strchr(",]}", *at)));
  return at;
}

static const char *space(const char *at) { return at + strspn(at, " ,:"); }

static const char *member(const char *object, const char *key) {
  for (const char *at = space(object + 1); *at == '"'; at = space(skip(at))) {
    const char *value = space(skip_text(at));
    if (!strncmp(at + 1, key, strlen(key)) && at[1 + strlen(key)] == '"') return value;
    at = value;
  }
  return NULL;
}

static char *text(const char *object, const char *key) {
  const char *at = member(object, key);
  if (!at || *at != '"') return NULL;
  size_t length = skip_text(at) - at - 2;
  char *copy = must(malloc(length + 1)), *out = copy;
  /* Names, base64 and PEM need none of the other escapes. */
  for (const char *in = at + 1; in < at + 1 + length; in++)
    *out++ = *in != '\\' ? *in : *++in == 'n' ? '\n' : *in;
  *out = 0;
  return copy;
}

static double number(const char *object, const char *key, double otherwise) {
  const char *at = member(object, key);
  return at ? strtod(at, NULL) : otherwise;
}

static bool is(const char *object, const char *key, const char *word) {
  const char *at = member(object, key);
  return at && !strncmp(at + 1, word, strlen(word)) && at[1 + strlen(word)] == '"';
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void print_base64(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i += 3) {
    unsigned word = bytes[i] << 16 | (i + 1 < count ? bytes[i + 1] << 8 : 0) | (i + 2 < count ? bytes[i + 2] : 0);
    putchar(digits[word >> 18]);
    putchar(digits[word >> 12 & 63]);
    putchar(i + 1 < count ? digits[word >> 6 & 63] : '=');
    putchar(i + 2 < count ? digits[word & 63] : '=');
  }
}

static char *decode(char *in, size_t *count) {
  static unsigned char values[256];
  if (!values['B']) for (int i = 0; i < 64; i++) values[(unsigned char)digits[i]] = (unsigned char)i;
  unsigned word = 0;
  int bits = 0;
  char *out = in;
  for (char *at = in; *at && *at != '='; at++) {
    word = word << 6 | values[(unsigned char)*at];
    if ((bits += 6) >= 8) *out++ = (char)(word >> (bits -= 8));
  }
  *count = out - in;
  return in;
}

/* -- Callbacks, and the reactions inside them. */

static void take(const char *message);

static void begin_callback(sock *one, const char *name) {
  printf("{\"type\":\"callback\",\"at\":%lld,\"socket\":\"%s\",\"callback\":\"%s\"", (long long)now(), one->name, name);
}

static void end_callback(sock *one, const char *name, const long *tag) {
  puts("}");
  fflush(stdout);
  const char *list = member(outline, "reactions");
  int place = 0;
  for (const char *at = space(list + 1); *at == '{'; at = space(skip(at)), place++) {
    if (!is(at, "on", name) || times_left[place] == 0) continue;
    if (member(at, "socket") && !is(at, "socket", one->name)) continue;
    if (member(at, "tag") && (!tag || strtol(member(at, "tag"), NULL, 10) != *tag)) continue;
    if (times_left[place] > 0) times_left[place]--;
    for (const char *step = space(member(at, "steps") + 1); *step == '{'; step = space(skip(step))) take(step);
    return;
  }
}

static void drop(operation **queue) {
  operation *first = *queue;
  *queue = first->next;
  free(first->data);
  free(first);
}

/* False: the kernel takes no more, or never will; what `receive` meets then tells. */
static bool flush_wire(sock *one) {
  char *bytes;
  for (size_t count; one->tls && (count = tls_wire(one->tls, &bytes));) {
    ssize_t sent = send(one->fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && !one->wire_error) one->wire_error = errno;
    if (sent < 0) return false;
    tls_sent(one->tls, sent);
  }
  return true;
}

static void close_socket(sock *one) {
  if (one->tls) tls_close(one->tls), flush_wire(one);
  tls_free(one->tls);
  one->tls = NULL;
  if (one->fd >= 0) close(one->fd);
  if (one->second >= 0) close(one->second);
  if (one->path[0]) unlink(one->path);
  while (one->reads) drop(&one->reads);
  while (one->writes) drop(&one->writes);
  free(one->bytes);
  one->bytes = NULL;
  one->count = one->room = one->deadline = 0;
  one->fd = one->second = -1;
  one->state = IDLE;
  one->path[0] = one->failure[0] = 0;
  one->end_after = one->wire_error = one->asked_for_tls = one->is_secure = one->ended_by_peer = one->waits_for_peer = 0;
}

static void end_because(sock *one, const char *error, const char *message) {
  close_socket(one);
  begin_callback(one, "didDisconnect");
  if (error) printf(",\"error\":\"%s\",\"message\":\"%s\"", error, message);
  end_callback(one, "didDisconnect", NULL);
}

static void end(sock *one, const char *error) { end_because(one, error, error); }

static void end_with_failure(sock *one) {
  char failure[sizeof one->failure];
  memcpy(failure, one->failure, sizeof failure);
  end_because(one, "SSL", failure);
}

static void end_with(sock *one, int code) {
  if (one->wire_error) code = one->wire_error;
  end(one, code ? strerrorname_np(code) : NULL);
}

static bool is_turn_of_tls(operation *first) { return first && first->until == 't'; }

static void watch(sock *one) {
  struct epoll_event event = {.data.ptr = one};
  char *bytes;
  if (one->state == LISTENING) event.events = EPOLLIN;
  bool has_output = (one->writes && !is_turn_of_tls(one->writes) && !one->waits_for_peer) || (one->tls && tls_wire(one->tls, &bytes));
  if (one->state == CONNECTING || has_output) event.events = EPOLLOUT;
  if (one->state == OPEN && !one->ended_by_peer && (one->reads || one->count < AHEAD)) event.events |= EPOLLIN;
  for (int *fd = &one->fd; fd <= &one->second; fd++)
    if (*fd >= 0 && epoll_ctl(poller, EPOLL_CTL_MOD, *fd, &event)) epoll_ctl(poller, EPOLL_CTL_ADD, *fd, &event);
}

static void arm(operation *one) {
  if (one && !one->deadline && one->timeout >= 0) one->deadline = now() + (int64_t)(one->timeout * 1e9);
}

static bool ends_now(sock *one) {
  bool is_done = one->end_after && !(one->end_after & READS && one->reads) && !(one->end_after & WRITES && one->writes);
  if (is_done && one->tls) {
    /* The close_notify waits for room as all that was before it did. */
    tls_close(one->tls);
    if (!flush_wire(one) && !one->wire_error) return watch(one), false;
  }
  if (is_done) end(one, NULL);
  return is_done;
}

/* How many of the bytes complete the read; 0: they don't; -1: they never will. */
static long complete(sock *one, operation *read) {
  if (read->until == 'l') return one->count >= read->length ? (long)read->length : 0;
  if (read->until == 'a') return read->limit && one->count > read->limit ? read->limit : one->count;
  char *found = one->count ? memmem(one->bytes, one->count, read->data, read->length) : NULL;
  size_t wanted = found ? found - one->bytes + read->length : one->count;
  if (read->limit && (found ? wanted > read->limit : wanted >= read->limit)) return -1;
  return found ? (long)wanted : 0;
}

static void secure(sock *one);

static void serve_reads(sock *one) {
  secure(one);
  while (one->state == OPEN && one->reads && !is_turn_of_tls(one->reads)) {
    long count = complete(one, one->reads), tag = one->reads->tag;
    if (count < 0) return end(one, "ReadMaxedOut");
    if (!count) break;
    begin_callback(one, "didRead");
    printf(",\"tag\":%ld,\"data\":\"", tag);
    print_base64((unsigned char *)one->bytes, count);
    putchar('"');
    memmove(one->bytes, one->bytes + count, one->count -= count);
    drop(&one->reads);
    end_callback(one, "didRead", &tag);
    if (one->state == OPEN && ends_now(one)) return;
    secure(one);
  }
  if (one->state != OPEN) return;
  if (one->ended_by_peer && (one->reads || !one->count))
    return one->failure[0] ? end_with_failure(one) : end(one, "Closed");
  arm(one->reads);
  watch(one);
}

/* Hands bytes on, through TLS if it has begun; how many were taken, or -1 with errno. */
static ssize_t put(sock *one, const char *bytes, size_t count) {
  if (!one->tls) return send(one->fd, bytes, count, MSG_NOSIGNAL);
  if (!flush_wire(one)) return -1;
  long taken = tls_write(one->tls, bytes, count);
  flush_wire(one);
  one->waits_for_peer = taken == TLS_MORE;
  errno = taken == TLS_MORE ? EAGAIN : EPROTO;
  return taken > 0 ? taken : -1;
}

static void serve_writes(sock *one) {
  secure(one);
  while (one->state == OPEN && one->writes && !is_turn_of_tls(one->writes)) {
    operation *write = one->writes;
    arm(write);
    ssize_t sent = write->done < write->length ? put(one, write->data + write->done, write->length - write->done) : 0;
    if (sent < 0 && errno == EAGAIN) break;
    if (sent < 0) return end_with(one, errno);
    if ((write->done += sent) < write->length) continue;
    /* The kernel has all of it when it has the last record. */
    if (!flush_wire(one)) break;
    long tag = write->tag;
    drop(&one->writes);
    begin_callback(one, "didWrite");
    printf(",\"tag\":%ld", tag);
    end_callback(one, "didWrite", &tag);
    if (one->state == OPEN && ends_now(one)) return;
    secure(one);
  }
  if (one->state == OPEN) watch(one);
}

static char *room_for(sock *one, size_t count) {
  if (one->room - one->count < count) one->bytes = must(realloc(one->bytes, one->room = 2 * one->room + count));
  return one->bytes + one->count;
}

/* The alert that says why goes at once. */
static void fail(sock *one, const char *reason) {
  snprintf(one->failure, sizeof one->failure, "%s", reason);
  one->ended_by_peer = true;
  flush_wire(one);
}

/* Takes what TLS has for the reader. */
static void take_secured(sock *one) {
  long count;
  while ((count = tls_read(one->tls, room_for(one, CHUNK), CHUNK)) > 0) one->count += count;
  if (count == TLS_FAILED) fail(one, tls_reason(one->tls));
  one->ended_by_peer |= count == TLS_CLOSED;
  one->waits_for_peer = false;
  flush_wire(one);
}

static tls *new_tls(const char *call) {
  tls_settings wanted = {.is_server = is(call, "role", "server"), .time = (long)number(call, "time", 0),
                         .peer_name = text(call, "peerName"), .anchors = text(call, "anchors"),
                         .chain = text(call, "chain"), .key = text(call, "key"),
                         .minimum = text(call, "minimum"), .maximum = text(call, "maximum")};
  tls *made = tls_new(&wanted);
  char *texts[] = {wanted.peer_name, wanted.anchors, wanted.chain, wanted.key, wanted.minimum, wanted.maximum};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
  return made;
}

/* Goes on with a handshake whose turn has come in both queues: what is read ahead by then is the peer's part of it. */
static void secure(sock *one) {
  if (one->state != OPEN || !is_turn_of_tls(one->reads) || !is_turn_of_tls(one->writes)) return;
  if (!one->tls) {
    if (!(one->tls = new_tls(one->reads->data))) return end_because(one, "SSL", tls_reason(NULL));
    tls_take(one->tls, one->bytes, one->count);
    one->count = 0;
  }
  int code = tls_shake(one->tls);
  bool is_reset = !flush_wire(one) && one->wire_error;
  if (code == TLS_MORE && one->ended_by_peer && is_reset) return end_with(one, 0);
  if (code == TLS_FAILED || (code == TLS_MORE && one->ended_by_peer)) fail(one, tls_reason(one->tls));
  if (one->failure[0]) return end_with_failure(one);
  if (code == TLS_MORE) return;
  drop(&one->reads);
  drop(&one->writes);
  one->is_secure = true;
  begin_callback(one, "didSecure");
  end_callback(one, "didSecure", NULL);
  if (one->state == OPEN) take_secured(one);
}

static void receive(sock *one) {
  char *room = room_for(one, CHUNK);
  ssize_t count = recv(one->fd, room, one->tls ? CHUNK : one->room - one->count, 0);
  if (count < 0 && errno == EAGAIN) return;
  if (count < 0) return end_with(one, errno);
  bool is_secured = one->tls && !is_turn_of_tls(one->reads);
  if (!count && one->wire_error) return end_with(one, 0);
  if (!count && is_secured) fail(one, "the stream was cut off");
  if (one->tls) tls_take(one->tls, room, count);
  else one->count += count;
  one->ended_by_peer |= !count;
  if (is_secured && count) take_secured(one);
  serve_reads(one);
}

static sock *find(const char *name) {
  sock *one = sockets;
  while (one && strcmp(one->name, name)) one = one->next;
  return one;
}

static sock *add(const char *name) {
  sock *one = must(calloc(1, sizeof *one));
  snprintf(one->name, sizeof one->name, "%s", name);
  one->fd = one->second = -1;
  one->next = sockets;
  return sockets = one;
}

static void opened(sock *one) {
  one->state = OPEN;
  one->deadline = 0;
  watch(one);
}

static void accept_one(sock *one, int fd) {
  int accepted = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (accepted < 0) return;
  char name[32] = "child";
  if (++children > 1) snprintf(name, sizeof name, "child%d", children);
  sock *child = add(name);
  child->fd = accepted;
  opened(child);
  begin_callback(one, "didAccept");
  printf(",\"child\":\"%s\"", name);
  end_callback(one, "didAccept", NULL);
}

/* -- Calls: each returns an errno, or 0. */

static bool set_path(address *to, const char *path) {
  to->path.sun_family = AF_UNIX;
  to->length = sizeof to->path;
  return (size_t)snprintf(to->path.sun_path, sizeof to->path.sun_path, "%s", path) < sizeof to->path.sun_path;
}

static bool set_ip(address *to, const char *host, int port) {
  to->v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
  to->length = sizeof to->v4;
  if (inet_pton(AF_INET, host, &to->v4.sin_addr) == 1) return true;
  to->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
  to->length = sizeof to->v6;
  return inet_pton(AF_INET6, host, &to->v6.sin6_addr) == 1;
}

static int call_connect(sock *one, const char *call) {
  address to = {0};
  char *path = text(call, "path"), *host = text(call, "host");
  bool known = path ? set_path(&to, path) : set_ip(&to, host, (int)number(call, "port", 0));
  free(path);
  free(host);
  if (one->state != IDLE) return EISCONN;
  if (!known) return EINVAL;
  one->there = to;
  one->fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  double timeout = number(call, "timeout", -1);
  one->deadline = timeout >= 0 ? now() + (int64_t)(timeout * 1e9) : 0;
  one->state = CONNECTING;
  /* What it comes to is told by a callback, also where it is known at once. */
  if (connect(one->fd, &to.any, to.length) && errno != EINPROGRESS) {
    int code = errno;
    close_socket(one);
    return code;
  }
  watch(one);
  return 0;
}

static void connected(sock *one) {
  int code = 0;
  socklen_t length = sizeof code;
  getsockopt(one->fd, SOL_SOCKET, SO_ERROR, &code, &length);
  if (code) return end_with(one, code);
  address to = {.length = sizeof to.path};
  /* After a reset the kernel no longer knows. */
  if (getpeername(one->fd, &to.any, &to.length)) to = one->there;
  opened(one);
  bool is_path = to.any.sa_family == AF_UNIX;
  const char *name = is_path ? "didConnectToURL" : "didConnect";
  begin_callback(one, name);
  char host[64];
  if (is_path) printf(",\"path\":\"%s\"", to.path.sun_path);
  else if (!getnameinfo(&to.any, to.length, host, sizeof host, NULL, 0, NI_NUMERICHOST))
    printf(",\"host\":\"%s\",\"port\":%d", host, ntohs(to.v4.sin_port));
  end_callback(one, name, NULL);
}

static int open_listener(address *at, int *fd) {
  int yes = 1;
  *fd = socket(at->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (at->any.sa_family != AF_UNIX) setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (at->any.sa_family == AF_INET6) setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (bind(*fd, &at->any, at->length) || listen(*fd, 128)) return errno;
  return getsockname(*fd, &at->any, &at->length) ? errno : 0;
}

static int call_listen(sock *one, const char *call, int *port) {
  address at = {0};
  char *path = text(call, "path");
  bool known = !path || set_path(&at, path);
  if (path && known) snprintf(one->path, sizeof one->path, "%s", path);
  if (!path) set_ip(&at, "0.0.0.0", (int)number(call, "port", 0));
  bool is_path = path;
  free(path);
  if (one->state != IDLE) return EISCONN;
  int code = known ? open_listener(&at, &one->fd) : ENAMETOOLONG;
  if (!code && !is_path) {
    *port = ntohs(at.v4.sin_port);
    set_ip(&at, "::", *port);
    /* A host without IPv6 has one listener. */
    if (open_listener(&at, &one->second) && one->second >= 0) {
      close(one->second);
      one->second = -1;
    }
  }
  if (code) close_socket(one);
  else one->state = LISTENING, watch(one);
  return code;
}

/* Operations without a length or a delimiter, or with a limit below it, would never end, and those behind a graceful
   disconnect are forbidden: they are left out. */
static void enqueue(sock *one, operation **queue, const char *call, char until, const char *key) {
  operation *new = must(calloc(1, sizeof *new));
  new->until = until;
  new->data = text(call, key);
  new->length = (size_t)number(call, "length", 0);
  if (new->data) decode(new->data, &new->length);
  new->limit = (size_t)number(call, "limit", 0);
  new->tag = strtol(member(call, "tag"), NULL, 10);
  new->timeout = number(call, "timeout", -1);
  bool is_endless = until == 'd' && new->limit && new->limit < new->length;
  if ((until != 'a' && !new->length) || is_endless || one->end_after || one->state == IDLE) {
    free(new->data);
    free(new);
    return;
  }
  while (*queue) queue = &(*queue)->next;
  bool is_first = queue == &one->writes;
  *queue = new;
  if (one->state != OPEN) return;
  /* What the kernel takes at once is on its way when the call returns; it is told later. */
  ssize_t sent = is_first ? put(one, new->data, new->length) : 0;
  if (sent > 0) new->done = sent;
  watch(one);
}

static void call_tls(sock *one, const char *call) {
  if (one->end_after || one->asked_for_tls || one->state == IDLE || one->state == LISTENING) return;
  one->asked_for_tls = 1;
  for (operation **queue = &one->reads; queue; queue = queue == &one->reads ? &one->writes : NULL) {
    operation **last = queue, *new = must(calloc(1, sizeof *new));
    *new = (operation){.until = 't', .data = must(strdup(call)), .timeout = -1};
    while (*last) last = &(*last)->next;
    *last = new;
  }
}

static int call_socket(sock *one, const char *call, int *port) {
  if (is(call, "call", "connect")) return call_connect(one, call);
  if (is(call, "call", "listen")) return call_listen(one, call, port);
  if (is(call, "call", "read")) enqueue(one, &one->reads, call, member(call, "until")[1], "delimiter");
  if (is(call, "call", "write")) enqueue(one, &one->writes, call, 'w', "data");
  if (is(call, "call", "startTLS")) call_tls(one, call);
  /* They add up, and on an idle socket they are nothing. */
  if (one->state != IDLE && is(call, "call", "disconnectAfterReading")) one->end_after |= READS;
  if (one->state != IDLE && is(call, "call", "disconnectAfterWriting")) one->end_after |= WRITES;
  if (one->state != IDLE && is(call, "call", "disconnectAfterReadingAndWriting")) one->end_after |= READS | WRITES;
  if (is(call, "call", "disconnect") && one->state != IDLE) end(one, NULL);
  return 0;
}

static void take_call(const char *call) {
  long long at = now();
  int port = 0;
  char *name = text(call, "socket");
  sock *one = find(name);
  free(name);
  int code = one ? call_socket(one, call, &port) : ENOTSOCK;
  printf("{\"type\":\"result\",\"id\":%d,\"at\":%lld,\"result\":\"%s\"", (int)number(call, "id", 0), at,
         code ? "refused" : "done");
  if (code) printf(",\"error\":\"%s\"", strerrorname_np(code));
  if (is(call, "call", "listen") && !code) printf(",\"port\":%d", port);
  puts("}");
  fflush(stdout);
}

static void take_question(const char *question) {
  char *name = text(question, "socket");
  sock *one = find(name);
  free(name);
  printf("{\"type\":\"value\",\"id\":%d,\"at\":%lld,\"value\":", (int)number(question, "id", 0), (long long)now());
  size_t count;
  unsigned char *der = tls_peer(one ? one->tls : NULL, &count);
  if (is(question, "property", "isConnected")) printf(one && one->state == OPEN ? "true" : "false");
  else if (is(question, "property", "isSecure")) printf(one && one->is_secure ? "true" : "false");
  else if (is(question, "property", "isDisconnected")) printf(one && one->state == IDLE ? "true" : "false");
  else if (der) printf("{\"base64\":\""), print_base64(der, count), printf("\"}");
  else printf("null");
  free(der);
  puts("}");
  fflush(stdout);
}

static void end_case(void) {
  is_over = true;
  while (sockets) {
    sock *first = sockets;
    sockets = first->next;
    close_socket(first);
    free(first);
  }
}

static void begin_case(const char *message) {
  free(outline);
  free(times_left);
  outline = must(strdup(message));
  children = 0;
  is_over = false;
  int count = 0;
  for (const char *at = space(member(outline, "sockets") + 1); *at == '"'; at = space(skip_text(at))) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(skip_text(at) - at - 2), at + 1);
    add(name);
  }
  const char *list = member(outline, "reactions");
  for (const char *at = space(list + 1); *at == '{'; at = space(skip(at))) count++;
  times_left = must(calloc(count + 1, sizeof *times_left));
  count = 0;
  for (const char *at = space(list + 1); *at == '{'; at = space(skip(at)))
    times_left[count++] = (int)number(at, "times", -1);
}

/* A message of the lab's, or a step inside a callback. */
static void take(const char *message) {
  int number_of_case = (int)number(message, "case", 0);
  if (is(message, "type", "hello"))
    puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"c\",\"version\":\"epoll\",\"calls\":[\"connect\",\"listen\","
         "\"read\",\"write\",\"disconnect\",\"disconnectAfterReading\",\"disconnectAfterWriting\","
         "\"disconnectAfterReadingAndWriting\",\"startTLS\"],\"callbacks\":[\"didConnect\",\"didConnectToURL\","
         "\"didAccept\",\"didRead\",\"didWrite\",\"didSecure\",\"didDisconnect\"],"
         "\"properties\":[\"isConnected\",\"isDisconnected\",\"isSecure\",\"peerCertificate\"],"
         "\"features\":[\"ipv6\",\"unix\",\"connect-timeout\",\"read-timeout\",\"write-timeout\",\"read-available\","
         "\"read-length\",\"read-delimiter\",\"read-limit\",\"read-most\",\"queues\",\"fixed-ports\",\"reactions\","
         "\"hold\",\"reuse\",\"end-without-read\",\"system-errors\",\"tls-client\",\"tls-server\",\"tls1.2\","
         "\"tls1.3\",\"tls-time\",\"tls-host-anchors\",\"tls-client-certificate\"]}");
  else if (is(message, "type", "case")) {
    begin_case(message);
    printf("{\"type\":\"ready\",\"case\":%d}\n", number_of_case);
  } else if (is(message, "type", "call")) take_call(message);
  else if (is(message, "type", "get")) take_question(message);
  else if (is(message, "type", "hold")) usleep((useconds_t)(number(message, "seconds", 0) * 1e6));
  else if (is(message, "type", "reach"))
    printf("{\"type\":\"reached\",\"id\":%d,\"at\":%lld}\n", (int)number(message, "id", 0), (long long)now());
  else if (is(message, "type", "end")) {
    end_case();
    printf("{\"type\":\"ended\",\"case\":%d,\"open\":[]}\n", number_of_case);
  }
  fflush(stdout);
}

/* -- The loop. */

static int64_t deadline_of(sock *one) {
  int64_t first = one->state == IDLE ? 0 : one->deadline;
  operation *queues[] = {one->reads, one->writes};
  for (int i = 0; i < 2; i++)
    if (one->state == OPEN && queues[i] && queues[i]->deadline && (!first || queues[i]->deadline < first))
      first = queues[i]->deadline;
  return first;
}

static int wait_time(void) {
  int64_t first = 0;
  for (sock *one = sockets; one; one = one->next) {
    int64_t own = deadline_of(one);
    if (own && (!first || own < first)) first = own;
  }
  if (!first) return -1;
  int64_t left = first - now();
  return left <= 0 ? 0 : (int)(left / 1000000 + 1);
}

static void end_overdue(void) {
  for (sock *one = sockets, *next; one; one = next) {
    next = one->next;
    int64_t deadline = deadline_of(one);
    if (!deadline || now() < deadline) continue;
    /* What is there already is not late. */
    if (one->state == OPEN && !one->ended_by_peer) receive(one);
    if (one->state == OPEN && one->reads) serve_reads(one);
    deadline = deadline_of(one);
    if (!deadline || now() < deadline) continue;
    if (one->state == CONNECTING) end(one, "ConnectTimeout");
    else if (one->reads && one->reads->deadline == deadline) end(one, "ReadTimeout");
    else end(one, "WriteTimeout");
  }
}

static void serve(sock *one, uint32_t events) {
  if (one->state == LISTENING) {
    accept_one(one, one->fd);
    if (one->state == LISTENING && one->second >= 0) accept_one(one, one->second);
  } else if (one->state == CONNECTING) connected(one);
  else if (one->state == OPEN) {
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && !one->ended_by_peer) receive(one);
    if (one->state == OPEN) flush_wire(one), serve_writes(one);
  }
}

static void serve_queues(void) {
  for (sock *one = sockets; one; one = one->next) {
    if (one->state == OPEN && one->reads) serve_reads(one);
    if (one->state == OPEN && one->writes) serve_writes(one);
    if (one->state == OPEN) ends_now(one);
  }
}

int main(void) {
  static char *line;
  static size_t room, count;
  poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  /* A plain file can't be waited for: the lab gives a socket. */
  if (epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &event)) return 1;
  while (epoll_wait(poller, &event, 1, wait_time()) >= 0 || errno == EINTR) {
    end_overdue();
    if (event.data.ptr) {
      for (sock *one = sockets; one; one = one->next) if (one == event.data.ptr) { serve(one, event.events); break; }
      event.data.ptr = NULL;
      event.events = 0;
      serve_queues();
      continue;
    }
    if (!(event.events & (EPOLLIN | EPOLLHUP))) continue;
    event.events = 0;
    if (room - count < CHUNK) line = must(realloc(line, room = 2 * room + CHUNK));
    ssize_t got = read(STDIN_FILENO, line + count, room - count - 1);
    if (got <= 0) return 0;
    /* What came before has no end of a line. */
    char *start = line, *from = line + count;
    count += got;
    for (char *stop; (stop = memchr(from, '\n', line + count - from)); start = from = stop + 1) {
      *stop = 0;
      take(start);
      if (!is_over) serve_queues();
    }
    memmove(line, start, count -= start - line);
  }
  return 1;
}
