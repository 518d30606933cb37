/* TLS over memory: bytes of the wire in, bytes of the wire out. Sockets and waiting are the caller's. */
#ifndef TLS_H
#define TLS_H
#include <stdbool.h>
#include <stddef.h>

typedef struct tls tls;

/* As the protocol has them; NULL: absent. Certificates and keys are PEM. */
typedef struct {
  bool is_server;
  char *peer_name, *anchors, *chain, *key, *minimum, *maximum;
  long time; /* at which certificates are judged, in Unix seconds; 0: now */
} tls_settings;

/* What a read comes to where it is no number of bytes. */
enum { TLS_MORE = 0, TLS_CLOSED = -1, TLS_FAILED = -2 };

/* NULL: certificates, keys or versions can't be used. The handshake begins with the first `tls_shake`. */
tls *tls_new(const tls_settings *settings);
/* Takes bytes that came over the wire. */
void tls_take(tls *one, const char *bytes, size_t count);
/* Bytes that are to go over the wire, valid until the next call; `tls_sent` says how many of them have gone. */
size_t tls_wire(tls *one, char **bytes);
void tls_sent(tls *one, size_t count);
/* 1: the handshake is done; TLS_MORE or TLS_FAILED. What the wire has then is to be sent all the same. */
int tls_shake(tls *one);
/* How many bytes were read; TLS_MORE, TLS_CLOSED after a close_notify, or TLS_FAILED. */
long tls_read(tls *one, char *into, size_t room);
/* How many bytes were taken, which is at most one record; TLS_MORE: none before more has come, or TLS_FAILED. */
long tls_write(tls *one, const char *bytes, size_t count);
/* Puts a close_notify on the wire, if the handshake is done. */
void tls_close(tls *one);
void tls_free(tls *one);
/* Why it failed, in words. */
const char *tls_reason(tls *one);
/* The peer's own certificate in DER, to be freed; NULL: there is none. */
unsigned char *tls_peer(tls *one, size_t *count);
#endif
