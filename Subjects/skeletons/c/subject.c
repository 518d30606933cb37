/* NAME as a subject of SocketLab: what is here works, and offers little. The protocol is in Subjects/README.md; a
   complete subject in C, with a reader of JSON that knows all of it, is Subjects/c. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What is not claimed is not asked. Add calls, callbacks and features as the library gets them. */
static const char *hello =
    "{\"type\":\"hello\",\"protocol\":1,\"name\":\"NAME\",\"version\":\"0\",\"calls\":[\"connect\",\"read\","
    "\"write\",\"disconnect\"],\"callbacks\":[\"didConnect\",\"didRead\",\"didWrite\",\"didDisconnect\"],"
    "\"properties\":[\"isConnected\"],\"features\":[\"read-available\",\"read-length\"]}";

/* A case has few sockets; each has a name and a descriptor, -1 while it is not connected, its reads that wait, and what
   came for them. */
enum { MOST = 64, CHUNK = 65536 };
typedef struct { size_t length; long tag; } waiting; /* a length of 0: what is available */
typedef struct {
  char name[64];
  int fd, reads;
  waiting queue[MOST];
  unsigned char *held;
  size_t count;
} connection;
static connection sockets[MOST];
static int count;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* The value of a member, as it stands in the line; values of the messages below are texts without escapes and numbers. */
static bool member(const char *line, const char *key, char *value, size_t room) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *at = strstr(line, quoted);
  if (!at) return false;
  at += strlen(quoted);
  at += strspn(at, " \"");
  snprintf(value, room, "%.*s", (int)strcspn(at, "\",}"), at);
  return true;
}

static long number(const char *line, const char *key) {
  char value[32] = "0";
  member(line, key, value, sizeof value);
  return strtol(value, NULL, 10);
}

static connection *find(const char *line) {
  char name[64] = "";
  member(line, "socket", name, sizeof name);
  for (int i = 0; i < count; i++) if (!strcmp(sockets[i].name, name)) return &sockets[i];
  return NULL;
}

static void *must(void *memory) {
  if (!memory) abort();
  return memory;
}

static const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t decode(const char *text, unsigned char *bytes) {
  unsigned bits = 0;
  int held = 0;
  size_t made = 0;
  for (const char *digit; *text && (digit = strchr(digits, *text)); text++) {
    bits = bits << 6 | (unsigned)(digit - digits);
    if ((held += 6) >= 8) bytes[made++] = (unsigned char)(bits >> (held -= 8));
  }
  return made;
}

static char *encoded(const unsigned char *bytes, size_t length) {
  char *text = must(malloc(length / 3 * 4 + 5)), *at = text;
  for (size_t i = 0; i < length; i += 3) {
    unsigned bits = bytes[i] << 16 | (i + 1 < length ? bytes[i + 1] << 8 : 0) | (i + 2 < length ? bytes[i + 2] : 0);
    *at++ = digits[bits >> 18];
    *at++ = digits[bits >> 12 & 63];
    *at++ = i + 1 < length ? digits[bits >> 6 & 63] : '=';
    *at++ = i + 2 < length ? digits[bits & 63] : '=';
  }
  *at = 0;
  return text;
}

/* A callback, to which its members are added with printf, and then the end of the line. A subject that claims
   `reactions` takes the steps of the one that fits then, before it returns. */
static void tell(connection *one, const char *callback) {
  printf("{\"type\":\"callback\",\"at\":%lld,\"socket\":\"%s\",\"callback\":\"%s\"", now(), one->name, callback);
}

static void forget(connection *one) {
  if (one->fd >= 0) close(one->fd);
  free(one->held);
  one->fd = -1;
  one->held = NULL;
  one->count = one->reads = 0;
}

/* Completes the reads for which enough is there, in their order. */
static void serve(connection *one) {
  while (one->reads && one->count && one->count >= one->queue[0].length) {
    size_t length = one->queue[0].length ? one->queue[0].length : one->count;
    char *data = encoded(one->held, length);
    tell(one, "didRead");
    printf(",\"data\":\"%s\",\"tag\":%ld}\n", data, one->queue[0].tag);
    free(data);
    one->count -= length;
    memmove(one->held, one->held + length, one->count);
    one->reads -= 1;
    memmove(one->queue, one->queue + 1, (size_t)one->reads * sizeof one->queue[0]);
  }
}

/* Bytes have come, or the end; somebody reads. */
static void receive(connection *one) {
  one->held = must(realloc(one->held, one->count + CHUNK));
  ssize_t got = recv(one->fd, one->held + one->count, CHUNK, 0);
  if (got > 0) {
    one->count += (size_t)got;
    serve(one);
    return;
  }
  int code = errno;
  forget(one);
  tell(one, "didDisconnect");
  if (got < 0) printf(",\"error\":\"errno %d\"}\n", code);
  else puts(",\"error\":\"Closed\",\"message\":\"the peer closed the connection\"}");
}

/* Makes a call; what it sets off is told by callbacks. Put the library in place of the system calls. Returns an errno. */
static int call(const char *line, connection *one) {
  char name[64] = "", until[16] = "";
  member(line, "call", name, sizeof name);
  member(line, "until", until, sizeof until);
  if (!strcmp(name, "connect")) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number(line, "port"))};
    char host[64] = "";
    member(line, "host", host, sizeof host);
    if (inet_pton(AF_INET, host, &to.sin_addr) != 1) return EINVAL;
    int open = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(open, (struct sockaddr *)&to, sizeof to)) {
      int code = errno;
      close(open);
      return code;
    }
    one->fd = open;
    tell(one, "didConnect");
    printf(",\"host\":\"%s\",\"port\":%ld}\n", host, number(line, "port"));
  } else if (!strcmp(name, "read")) {
    /* A read of no bytes can't complete. */
    waiting wanted = {.length = (size_t)number(line, "length"), .tag = number(line, "tag")};
    bool is_possible = one->fd >= 0 && (wanted.length || !strcmp(until, "available"));
    if (is_possible && one->reads < MOST) one->queue[one->reads++] = wanted;
  } else if (!strcmp(name, "write")) {
    char *data = must(malloc(strlen(line) + 1));
    member(line, "data", data, strlen(line) + 1);
    size_t length = decode(data, (unsigned char *)data);
    ssize_t sent = send(one->fd, data, length, MSG_NOSIGNAL);
    free(data);
    if (sent < 0 || (size_t)sent < length) return errno ? errno : EIO;
    tell(one, "didWrite");
    printf(",\"tag\":%ld}\n", number(line, "tag"));
  } else if (one->fd >= 0) {
    forget(one);
    tell(one, "didDisconnect");
    puts("}");
  }
  return 0;
}

static void begin(char *line) {
  count = 0;
  char *list = strstr(line, "\"sockets\":"), *end = list ? strchr(list, ']') : NULL;
  if (!end) return;
  *end = 0;
  for (char *name = strtok(list + strlen("\"sockets\":"), "[\", "); name && count < MOST; name = strtok(NULL, "[\", ")) {
    snprintf(sockets[count].name, sizeof sockets[count].name, "%s", name);
    sockets[count++].fd = -1;
  }
}

static void hear(char *line) {
  char type[32] = "";
  member(line, "type", type, sizeof type);
  long number_of_case = number(line, "case"), id = number(line, "id");
  connection *one = find(line);
  if (!strcmp(type, "hello")) puts(hello);
  else if (!strcmp(type, "case")) {
    begin(line);
    printf("{\"type\":\"ready\",\"case\":%ld}\n", number_of_case);
  } else if (!strcmp(type, "call")) {
    long long at = now();
    int code = one ? call(line, one) : ENOTSOCK;
    printf("{\"type\":\"result\",\"id\":%ld,\"at\":%lld,\"result\":", id, at);
    if (code) printf("\"refused\",\"error\":\"errno %d\"}\n", code);
    else puts("\"done\"}");
    if (one) serve(one);
  } else if (!strcmp(type, "get")) {
    const char *value = one && one->fd >= 0 ? "true" : "false";
    printf("{\"type\":\"value\",\"id\":%ld,\"at\":%lld,\"value\":%s}\n", id, now(), value);
  } else if (!strcmp(type, "end")) {
    for (int i = 0; i < count; i++) forget(&sockets[i]);
    count = 0;
    printf("{\"type\":\"ended\",\"case\":%ld,\"open\":[]}\n", number_of_case);
  }
}

/* The lab's lines and the connections that somebody reads from, whichever comes first. */
int main(void) {
  char *lines = NULL, *end;
  size_t length = 0;
  for (;;) {
    struct pollfd set[MOST + 1] = {{.fd = 0, .events = POLLIN}};
    for (int i = 0; i < count; i++)
      set[i + 1] = (struct pollfd){.fd = sockets[i].reads ? sockets[i].fd : -1, .events = POLLIN};
    if (poll(set, (nfds_t)count + 1, -1) < 0) continue;
    for (int i = 0; i < count; i++) if (set[i + 1].fd >= 0 && set[i + 1].revents) receive(&sockets[i]);
    if (set[0].revents) {
      lines = must(realloc(lines, length + CHUNK + 1));
      ssize_t got = read(0, lines + length, CHUNK);
      if (got <= 0) break;
      length += (size_t)got;
      lines[length] = 0;
      while ((end = memchr(lines, '\n', length))) {
        *end = 0;
        hear(lines);
        length -= (size_t)(end + 1 - lines);
        memmove(lines, end + 1, length + 1);
      }
    }
    fflush(stdout);
  }
  free(lines);
  return 0;
}
