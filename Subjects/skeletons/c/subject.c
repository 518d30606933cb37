/* NAME as a subject of SocketLab: what is here works, and offers little. The protocol is in Subjects/README.md; a
   complete subject in C, with a reader of JSON that knows all of it, is Subjects/c. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What is not claimed is not asked. Add calls, callbacks and features as the library gets them. */
static const char *hello =
    "{\"type\":\"hello\",\"protocol\":1,\"name\":\"NAME\",\"version\":\"0\",\"calls\":[\"connect\",\"write\","
    "\"disconnect\"],\"callbacks\":[\"didConnect\",\"didWrite\",\"didDisconnect\"],\"properties\":[\"isConnected\"],"
    "\"features\":[]}";

/* A case has few sockets; each has a name and a descriptor, -1 while it is not connected. */
enum { MOST = 64 };
static struct { char name[64]; int fd; } sockets[MOST];
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

static int *find(const char *line) {
  char name[64] = "";
  member(line, "socket", name, sizeof name);
  for (int i = 0; i < count; i++) if (!strcmp(sockets[i].name, name)) return &sockets[i].fd;
  return NULL;
}

static size_t decode(const char *text, unsigned char *bytes) {
  static const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned bits = 0;
  int held = 0;
  size_t made = 0;
  for (const char *digit; *text && (digit = strchr(digits, *text)); text++) {
    bits = bits << 6 | (unsigned)(digit - digits);
    if ((held += 6) >= 8) bytes[made++] = (unsigned char)(bits >> (held -= 8));
  }
  return made;
}

/* A callback. A subject that claims `reactions` takes the steps of the one that fits here, before it returns. */
static void tell(const char *line, const char *callback, const char *members) {
  char name[64] = "";
  member(line, "socket", name, sizeof name);
  printf("{\"type\":\"callback\",\"at\":%lld,\"socket\":\"%s\",\"callback\":\"%s\"%s}\n", now(), name, callback, members);
}

/* Makes a call; what it sets off is told by callbacks. Put the library in place of the system calls. Returns an errno. */
static int call(const char *line, int *fd) {
  char name[64] = "", members[128] = "";
  member(line, "call", name, sizeof name);
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
    *fd = open;
    snprintf(members, sizeof members, ",\"host\":\"%s\",\"port\":%ld", host, number(line, "port"));
    tell(line, "didConnect", members);
  } else if (!strcmp(name, "write")) {
    char *data = malloc(strlen(line) + 1);
    if (!data || !member(line, "data", data, strlen(line) + 1)) abort();
    size_t length = decode(data, (unsigned char *)data);
    ssize_t sent = send(*fd, data, length, MSG_NOSIGNAL);
    free(data);
    if (sent < 0 || (size_t)sent < length) return errno ? errno : EIO;
    snprintf(members, sizeof members, ",\"tag\":%ld", number(line, "tag"));
    tell(line, "didWrite", members);
  } else if (*fd >= 0) {
    close(*fd);
    *fd = -1;
    tell(line, "didDisconnect", "");
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

int main(void) {
  char *line = NULL, type[32];
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    if (!member(line, "type", type, sizeof type)) continue;
    long number_of_case = number(line, "case"), id = number(line, "id");
    int *fd = find(line);
    if (!strcmp(type, "hello")) puts(hello);
    else if (!strcmp(type, "case")) {
      begin(line);
      printf("{\"type\":\"ready\",\"case\":%ld}\n", number_of_case);
    } else if (!strcmp(type, "call")) {
      long long at = now();
      int code = fd ? call(line, fd) : ENOTSOCK;
      if (code) printf("{\"type\":\"result\",\"id\":%ld,\"at\":%lld,\"result\":\"refused\",\"error\":\"errno %d\"}\n", id, at, code);
      else printf("{\"type\":\"result\",\"id\":%ld,\"at\":%lld,\"result\":\"done\"}\n", id, at);
    } else if (!strcmp(type, "get")) {
      printf("{\"type\":\"value\",\"id\":%ld,\"at\":%lld,\"value\":%s}\n", id, now(), fd && *fd >= 0 ? "true" : "false");
    } else if (!strcmp(type, "end")) {
      for (int i = 0; i < count; i++) if (sockets[i].fd >= 0) close(sockets[i].fd);
      count = 0;
      printf("{\"type\":\"ended\",\"case\":%ld,\"open\":[]}\n", number_of_case);
    }
    fflush(stdout);
  }
  free(line);
  return 0;
}
