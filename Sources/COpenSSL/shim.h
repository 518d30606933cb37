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
#endif
