#ifndef CRIVALS_H
#define CRIVALS_H
// The load generator, which is the same for every contestant, and the rivals that are written in C.
#include <stddef.h>
#include <stdint.h>

// MARK: Servers. Each serves the listener's connections on the calling thread until something fails; then -errno.

// A listener on 127.0.0.1; the port is the kernel's choice. The descriptor, or -errno.
int rival_listen(uint16_t *port);
// Level-triggered epoll: what is received goes back at once.
int rival_serve_echo(int listener);
// The same loop: every `message` bytes are answered by a header and by `body` bytes, a send each.
int rival_serve_answers(int listener, size_t message, const char *header, size_t body);
// Epoll: splits at CRLF, hands every line out in memory of its own, answers a byte after every `acknowledge` lines.
int rival_serve_lines(int listener, long acknowledge);
// One connection after another, blocking: `chunk` bytes into fresh memory, a byte back after every `acknowledge`.
int rival_serve_receive(int listener, size_t chunk, long acknowledge);
// One connection after another, blocking: sends `chunk` bytes again and again.
int rival_serve_send(int listener, size_t chunk);
// The last two over TLS, as OpenSSL's own calls do it.
int rival_serve_tls_receive(int listener, size_t chunk, long acknowledge);
int rival_serve_tls_send(int listener, size_t chunk);

// A certificate that signs itself and its key, in PEM; the number of bytes, or -1.
long rival_certificate(char *pem, long room);

// MARK: Processes.

// A pipe that children don't inherit; 0, or errno.
int rival_pipe(int ends[2]);
// Seconds of processor time of the calling thread so far.
double rival_thread_time(void);

// MARK: Load.

typedef struct {
  uint16_t port;
  int connections;
  // Bytes of a message, or of a line with its CRLF.
  size_t size;
  double warm_up;
  double seconds;
  // The window also stays open until so many units are counted, and does not open before as many have gone by.
  double least;
  // Whose processor time is measured along with it; 0: nobody's.
  int pid;
  // Units that one acknowledgement stands for; streams only.
  long acknowledge;
  // Bytes of an answer.
  size_t answer;
} load_plan;

typedef struct {
  // Messages, lines, chunks or bytes in the window.
  double units;
  double seconds;
  // Processor time of the process `pid` in the window; negative: unknown.
  double processor;
  // 0, or errno; `stage` says what was being done.
  int error;
  const char *stage;
} load_result;

// Every connection sends a message, waits for all of it and sends the next one. Units: messages.
load_result load_echo(const load_plan *plan);
// The same with answers of `answer` bytes, of which only the number is looked at. Units: answers.
load_result load_answers(const load_plan *plan);
// One connection sends lines of `size` bytes, the last two CRLF, as fast as it can. Units: lines, as acknowledged.
load_result load_lines(const load_plan *plan);
// One connection sends as fast as it can; a unit has `size` bytes. Units: chunks, as acknowledged.
load_result load_chunks(const load_plan *plan);
// One connection receives as fast as it can. Units: bytes.
load_result load_drain(const load_plan *plan);
// The last two over TLS 1.3 with AES-128-GCM. The drain decrypts only the first pieces, and counts the content of the
// records from then on: what is measured is the sender.
load_result load_tls_chunks(const load_plan *plan);
load_result load_tls_drain(const load_plan *plan);

// MARK: Idle connections

typedef struct load_crowd load_crowd;

// No connections yet.
load_crowd *load_crowd_make(const load_plan *plan);
// Opens connections until there are `connections`; each has echoed one message. 0, or an error with its stage.
load_result load_crowd_grow(load_crowd *crowd, int connections);
void load_crowd_free(load_crowd *crowd);

// MARK: Search. Bytes searched in all; the result of each search is used, so that no compiler leaves it out.

// The offset of the first `needle` by memchr (for one byte) or memmem, `times` times; -1: not there.
long rival_search(const void *bytes, size_t count, const void *needle, size_t length, long times);

#endif
