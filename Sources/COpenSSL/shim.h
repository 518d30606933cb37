#ifndef SOCKETLAB_COPENSSL_SHIM_H
#define SOCKETLAB_COPENSSL_SHIM_H
// libssl and libcrypto of OpenSSL 3; what OpenSSL offers only as a macro gets an inline function here.
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

// Randomness: the process-wide method. OpenSSL 3.0 deprecates it in favour of providers, but routes everything that
// draws random bytes through it when one is set.
#include <openssl/rand.h>

static inline int lab_rand_set_method(const RAND_METHOD *method) { return RAND_set_rand_method(method); }

static inline int lab_rand_default_bytes(unsigned char *bytes, int count) {
  return RAND_OpenSSL()->bytes(bytes, count);
}

// Certificates: keys and signatures.
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Scripted peers: sessions on memory BIOs with watched messages, and the primitives of a record made by hand.
#include <openssl/hmac.h>
#include <openssl/pem.h>

static inline int lab_peer_set_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest) && SSL_CTX_set_max_proto_version(context, highest);
}
static inline int lab_peer_set_groups(SSL_CTX *context, const char *names) {
  return SSL_CTX_set1_groups_list(context, names);
}
static inline int lab_peer_add_chain(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate);
}
static inline void lab_peer_set_modes(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_max_cert_list(context, 1 << 24);
}
static inline int lab_peer_set_server_name(SSL *session, const char *name) {
  return SSL_set_tlsext_host_name(session, name);
}
static inline int lab_peer_set_fragment(SSL *session, long size) { return SSL_set_max_send_fragment(session, size); }
static inline void lab_peer_set_argument(SSL *session, void *argument) { SSL_set_msg_callback_arg(session, argument); }
static inline size_t lab_peer_pending(BIO *memory) { return BIO_ctrl_pending(memory); }
static inline void lab_peer_end_input(BIO *memory) { BIO_set_mem_eof_return(memory, 0); }
static inline void lab_peer_open_input(BIO *memory) { BIO_set_mem_eof_return(memory, -1); }
static inline int lab_peer_stack_count(const STACK_OF(X509) *stack) { return stack ? sk_X509_num(stack) : 0; }
static inline X509 *lab_peer_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
#endif
