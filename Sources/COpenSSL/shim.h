#ifndef SOCKETLAB_COPENSSL_SHIM_H
#define SOCKETLAB_COPENSSL_SHIM_H
// libssl and libcrypto of OpenSSL 3; what OpenSSL offers only as a macro gets an inline function here.
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#endif
