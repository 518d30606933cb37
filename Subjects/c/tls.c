#include "tls.h"
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 16 << 10 };

struct tls { SSL *ssl; BIO *in, *out; bool is_done; };

static int version(const char *name) {
  if (!strcmp(name, "tls1.2")) return TLS1_2_VERSION;
  return strcmp(name, "tls1.3") ? -1 : TLS1_3_VERSION;
}

static int add_anchor(SSL_CTX *context, X509 *anchor) {
  return X509_STORE_add_cert(SSL_CTX_get_cert_store(context), anchor);
}

/* The first is the subject's own, and the others are what it sends along. */
static int add_own(SSL_CTX *context, X509 *certificate) {
  if (!SSL_CTX_get0_certificate(context)) return SSL_CTX_use_certificate(context, certificate);
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static bool each_certificate(SSL_CTX *context, const char *pem, int (*add)(SSL_CTX *, X509 *)) {
  BIO *in = BIO_new_mem_buf(pem, -1);
  int count = 0, code = 1;
  for (X509 *next; code == 1 && (next = PEM_read_bio_X509(in, NULL, NULL, NULL)); count++, X509_free(next))
    code = add(context, next);
  BIO_free(in);
  return count && code == 1;
}

static bool use_key(SSL_CTX *context, const char *pem) {
  BIO *in = BIO_new_mem_buf(pem, -1);
  EVP_PKEY *key = PEM_read_bio_PrivateKey(in, NULL, NULL, NULL);
  bool fits = key && SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
  EVP_PKEY_free(key);
  BIO_free(in);
  return fits;
}

/* A dot at the end of a host's name belongs to the resolver (RFC 6066, 3). */
static size_t length_of(const char *name) {
  size_t length = strlen(name);
  return length && name[length - 1] == '.' ? length - 1 : length;
}

static bool set_up(SSL_CTX *context, const tls_settings *wanted) {
  X509_VERIFY_PARAM *judged = SSL_CTX_get0_param(context);
  int lowest = wanted->minimum ? version(wanted->minimum) : TLS1_2_VERSION;
  int highest = wanted->maximum ? version(wanted->maximum) : 0;
  if (lowest < 0 || highest < 0) return false;
  if (SSL_CTX_set_min_proto_version(context, lowest) != 1 || SSL_CTX_set_max_proto_version(context, highest) != 1)
    return false;
  /* Nobody but the peer of now is to be let in by what an earlier connection left. */
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  if (wanted->time) X509_VERIFY_PARAM_set_time(judged, wanted->time);
  if (wanted->chain && !each_certificate(context, wanted->chain, add_own)) return false;
  if (wanted->key && !use_key(context, wanted->key)) return false;
  if (wanted->is_server) return true;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  X509_VERIFY_PARAM_set_hostflags(judged, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (wanted->peer_name && X509_VERIFY_PARAM_set1_ip_asc(judged, wanted->peer_name) != 1
      && X509_VERIFY_PARAM_set1_host(judged, wanted->peer_name, length_of(wanted->peer_name)) != 1)
    return false;
  if (!wanted->anchors) return SSL_CTX_set_default_verify_paths(context) == 1;
  /* An anchor is trusted for what it is, whoever has signed it. */
  X509_VERIFY_PARAM_set_flags(judged, X509_V_FLAG_PARTIAL_CHAIN);
  return each_certificate(context, wanted->anchors, add_anchor);
}

static bool is_address(const char *name) {
  ASN1_OCTET_STRING *address = a2i_IPADDRESS(name);
  ASN1_OCTET_STRING_free(address);
  return address;
}

tls *tls_new(const tls_settings *wanted) {
  ERR_clear_error();
  SSL_CTX *context = SSL_CTX_new(TLS_method());
  tls *one = calloc(1, sizeof *one);
  if (!context || !one || !set_up(context, wanted) || !(one->ssl = SSL_new(context))) {
    SSL_CTX_free(context);
    free(one);
    return NULL;
  }
  SSL_CTX_free(context); /* the connection holds it */
  one->in = BIO_new(BIO_s_mem());
  one->out = BIO_new(BIO_s_mem());
  SSL_set_bio(one->ssl, one->in, one->out);
  if (wanted->is_server) SSL_set_accept_state(one->ssl);
  else SSL_set_connect_state(one->ssl);
  if (!wanted->is_server && wanted->peer_name && !is_address(wanted->peer_name)) {
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)length_of(wanted->peer_name), wanted->peer_name);
    SSL_set_tlsext_host_name(one->ssl, name);
  }
  return one;
}

void tls_take(tls *one, const char *bytes, size_t count) { BIO_write(one->in, bytes, (int)count); }

size_t tls_wire(tls *one, char **bytes) { return (size_t)BIO_get_mem_data(one->out, bytes); }

void tls_sent(tls *one, size_t count) {
  char gone[RECORD];
  for (size_t left = count; left;) left -= (size_t)BIO_read(one->out, gone, left < RECORD ? (int)left : RECORD);
}

/* What a call that has not done all of it came to. */
static int outcome(tls *one, int code) {
  switch (SSL_get_error(one->ssl, code)) {
    case SSL_ERROR_WANT_READ: return TLS_MORE;
    case SSL_ERROR_ZERO_RETURN: return TLS_CLOSED;
    default: return TLS_FAILED;
  }
}

int tls_shake(tls *one) {
  ERR_clear_error();
  int code = SSL_do_handshake(one->ssl);
  one->is_done = code == 1;
  if (one->is_done) return 1;
  /* A close_notify instead of a handshake leaves none to go on with. */
  return outcome(one, code) == TLS_MORE ? TLS_MORE : TLS_FAILED;
}

long tls_read(tls *one, char *into, size_t room) {
  ERR_clear_error();
  int code = SSL_read(one->ssl, into, room < INT_MAX ? (int)room : INT_MAX);
  int found = code > 0 ? code : outcome(one, code), update = SSL_get_key_update_type(one->ssl);
  /* OpenSSL would answer an update of the peer's keys with the next write only. */
  if (found == TLS_MORE && update != SSL_KEY_UPDATE_NONE && SSL_key_update(one->ssl, update)) SSL_do_handshake(one->ssl);
  return found;
}

long tls_write(tls *one, const char *bytes, size_t count) {
  ERR_clear_error();
  int code = SSL_write(one->ssl, bytes, count < RECORD ? (int)count : RECORD);
  return code > 0 ? code : outcome(one, code);
}

void tls_close(tls *one) {
  ERR_clear_error();
  if (one->is_done && !(SSL_get_shutdown(one->ssl) & SSL_SENT_SHUTDOWN)) SSL_shutdown(one->ssl);
}

void tls_free(tls *one) {
  if (one) SSL_free(one->ssl);
  free(one);
}

const char *tls_reason(tls *one) {
  long verdict = one ? SSL_get_verify_result(one->ssl) : X509_V_OK;
  if (verdict != X509_V_OK) return X509_verify_cert_error_string(verdict);
  const char *text = ERR_reason_error_string(ERR_peek_error());
  return text ? text : "the connection ended within TLS";
}

unsigned char *tls_peer(tls *one, size_t *count) {
  unsigned char *der = NULL;
  X509 *certificate = one ? SSL_get0_peer_certificate(one->ssl) : NULL;
  int length = certificate ? i2d_X509(certificate, &der) : 0;
  *count = length > 0 ? (size_t)length : 0;
  return length > 0 ? der : NULL;
}
