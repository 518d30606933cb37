#define _GNU_SOURCE
#include "CRivals.h"
#include "common.h"
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 65536, ROOM = 262144, HEADER = 5, TAG_AND_TYPE = 17 };

// MARK: Certificate

static X509 *certificate(EVP_PKEY *key) {
  X509 *made = X509_new();
  X509_NAME *name = made == NULL ? NULL : X509_get_subject_name(made);
  if (name == NULL) return NULL;
  ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
  X509_set_version(made, X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(made), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made), 86400);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0);
  if (X509_set_issuer_name(made, name) && X509_set_pubkey(made, key) && X509_sign(made, key, EVP_sha256()) > 0)
    return made;
  X509_free(made);
  return NULL;
}

long rival_certificate(char *pem, long room) {
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *made = key == NULL ? NULL : certificate(key);
  BIO *text = BIO_new(BIO_s_mem());
  long count = -1;
  if (made != NULL && text != NULL && PEM_write_bio_X509(text, made)
      && PEM_write_bio_PKCS8PrivateKey(text, key, NULL, NULL, 0, NULL, NULL)) {
    char *bytes = NULL;
    count = BIO_get_mem_data(text, &bytes);
    if (count <= room) memcpy(pem, bytes, (size_t)count); else count = -1;
  }
  BIO_free(text);
  X509_free(made);
  EVP_PKEY_free(key);
  return count;
}

// MARK: Servers

static SSL_CTX *server_context(void) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *made = key == NULL ? NULL : certificate(key);
  int usable = context != NULL && made != NULL && SSL_CTX_use_certificate(context, made) == 1
               && SSL_CTX_use_PrivateKey(context, key) == 1;
  X509_free(made);
  EVP_PKEY_free(key);
  if (!usable) {
    SSL_CTX_free(context);
    return NULL;
  }
  // As whoever wants speed sets it: a record for each system call, not a call for its header and one for its body.
  SSL_CTX_set_read_ahead(context, 1);
  return context;
}

static void receive_pieces(SSL *session, size_t chunk, long acknowledge) {
  for (long chunks = 1;; chunks++) {
    char *memory = malloc(chunk);
    size_t have = 0;
    while (memory != NULL && have < chunk) {
      int got = SSL_read(session, memory + have, (int)(chunk - have));
      if (got <= 0) break;
      have += (size_t)got;
    }
    __asm__ volatile("" : : "r"(memory) : "memory");
    free(memory);
    if (have < chunk || (chunks % acknowledge == 0 && SSL_write(session, "a", 1) != 1)) return;
  }
}

static void send_pieces(SSL *session, const char *piece, size_t chunk) {
  while (SSL_write(session, piece, (int)chunk) == (int)chunk) {}
}

// One connection after another; `acknowledge` 0: it sends.
static int serve(int listener, size_t chunk, long acknowledge) {
  SSL_CTX *context = server_context();
  char *piece = malloc(chunk);
  int fd = -ENOMEM;
  if (context != NULL && piece != NULL) {
    memset(piece, 'x', chunk);
    while ((fd = rival_accept(listener, 0)) >= 0) {
      SSL *session = SSL_new(context);
      if (session != NULL && SSL_set_fd(session, fd) && SSL_accept(session) == 1) {
        if (acknowledge > 0) receive_pieces(session, chunk, acknowledge); else send_pieces(session, piece, chunk);
      }
      SSL_free(session);
      close(fd);
    }
  }
  free(piece);
  SSL_CTX_free(context);
  return fd;
}

int rival_serve_tls_receive(int listener, size_t chunk, long acknowledge) {
  return serve(listener, chunk, acknowledge);
}

int rival_serve_tls_send(int listener, size_t chunk) { return serve(listener, chunk, 0); }

// MARK: Load

typedef struct {
  SSL_CTX *context;
  SSL *session;
  int fd;
} secure_client;

static load_result secure_connect(secure_client *it, const load_plan *plan) {
  *it = (secure_client){.context = SSL_CTX_new(TLS_client_method()), .fd = rival_connect(plan->port)};
  if (it->fd < 0) return load_failure("connecting", -it->fd);
  struct timeval patience = {.tv_sec = LOAD_PATIENCE};
  setsockopt(it->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  // The suite is the client's choice, so that it is the same for all.
  if (it->context == NULL || !SSL_CTX_set_min_proto_version(it->context, TLS1_3_VERSION)
      || !SSL_CTX_set_ciphersuites(it->context, "TLS_AES_128_GCM_SHA256"))
    return load_failure("preparing TLS", ENOMEM);
  SSL_CTX_set_mode(it->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  it->session = SSL_new(it->context);
  if (it->session == NULL || !SSL_set_fd(it->session, it->fd)) return load_failure("preparing TLS", ENOMEM);
  if (SSL_connect(it->session) != 1) return load_failure("shaking hands", EPROTO);
  return (load_result){.processor = -1};
}

static void secure_close(secure_client *it) {
  SSL_free(it->session);
  SSL_CTX_free(it->context);
  if (it->fd >= 0) close(it->fd);
}

// Where in a record the last bytes ended.
typedef struct {
  unsigned char header[HEADER];
  size_t have;
  size_t missing;
} record_walk;

// The bytes of content that the records in `bytes` begin; negative: no application data.
static double walk(record_walk *it, const unsigned char *bytes, size_t count) {
  double content = 0;
  for (size_t at = 0; at < count;) {
    if (it->missing > 0) {
      size_t step = it->missing < count - at ? it->missing : count - at;
      it->missing -= step;
      at += step;
      continue;
    }
    it->header[it->have++] = bytes[at++];
    if (it->have < HEADER) continue;
    it->have = 0;
    it->missing = (size_t)it->header[3] << 8 | it->header[4];
    if (it->header[0] != SSL3_RT_APPLICATION_DATA || it->missing <= TAG_AND_TYPE) return -1;
    content += (double)(it->missing - TAG_AND_TYPE);
  }
  return content;
}

// Decrypts the first pieces and looks at them; after that the records are only counted.
static load_result check_content(SSL *session, unsigned char *buffer) {
  for (size_t seen = 0; seen < 4 * PIECE || SSL_has_pending(session);) {
    int got = SSL_read(session, buffer, PIECE);
    if (got <= 0) return load_failure("receiving the first pieces", EPROTO);
    for (int i = 0; i < got; i++) {
      if (buffer[i] != 'x') return load_failure("comparing the first pieces", EBADMSG);
    }
    seen += (size_t)got;
  }
  return (load_result){.processor = -1};
}

load_result load_tls_drain(const load_plan *plan) {
  secure_client client;
  record_walk records = {.have = 0};
  unsigned char *buffer = malloc(ROOM);
  load_result result = buffer == NULL ? load_failure("making room", ENOMEM) : secure_connect(&client, plan);
  if (buffer == NULL) return result;
  if (result.error == 0) result = check_content(client.session, buffer);
  load_window window = load_window_open(plan);
  while (result.error == 0) {
    ssize_t got = recv(client.fd, buffer, ROOM, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      result = load_failure("receiving", got == 0 ? ECONNRESET : errno == EAGAIN ? ETIMEDOUT : errno);
      break;
    }
    double content = walk(&records, buffer, (size_t)got);
    if (content < 0) result = load_failure("reading records", EPROTO);
    if (result.error == 0 && load_window_count(&window, content, &result)) break;
  }
  secure_close(&client);
  free(buffer);
  return result;
}

static load_result send_secure(secure_client *client, const load_plan *plan, const char *piece) {
  char answers[4096];
  load_result result = {.processor = -1};
  load_window window = load_window_open(plan);
  if (fcntl(client->fd, F_SETFL, O_NONBLOCK) != 0) return load_failure("preparing the connection", errno);
  for (;;) {
    int sent = SSL_write(client->session, piece, PIECE);
    int blocked = 0;
    if (sent <= 0) {
      int reason = SSL_get_error(client->session, sent);
      if (reason != SSL_ERROR_WANT_WRITE && reason != SSL_ERROR_WANT_READ) return load_failure("sending", EPROTO);
      blocked = 1;
    }
    int got = SSL_read(client->session, answers, sizeof answers);
    if (got > 0 && load_window_count(&window, (double)got * (double)plan->acknowledge, &result)) return result;
    if (got <= 0) {
      int reason = SSL_get_error(client->session, got);
      if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE)
        return load_failure("receiving acknowledgements", EPROTO);
    }
    struct pollfd watched = {.fd = client->fd, .events = POLLIN | POLLOUT};
    if (blocked && poll(&watched, 1, LOAD_PATIENCE * 1000) == 0)
      return load_failure("waiting for acknowledgements", ETIMEDOUT);
  }
}

load_result load_tls_chunks(const load_plan *plan) {
  secure_client client;
  char *piece = malloc(PIECE);
  if (piece == NULL) return load_failure("making room", ENOMEM);
  memset(piece, 'x', PIECE);
  load_result result = secure_connect(&client, plan);
  if (result.error == 0) result = send_secure(&client, plan, piece);
  secure_close(&client);
  free(piece);
  return result;
}
