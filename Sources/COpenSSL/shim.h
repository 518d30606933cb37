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

// SocketTLS: certificates, their names and stacks, options, and the pause for a trust answer.
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline int lab_tls_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *lab_tls_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
static inline STACK_OF(X509) *lab_tls_stack_new(void) { return sk_X509_new_null(); }
static inline void lab_tls_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }
// Takes a reference of its own; 0 when there is no memory.
static inline int lab_tls_stack_add(STACK_OF(X509) *stack, X509 *certificate) {
  if (!X509_up_ref(certificate)) return 0;
  if (sk_X509_push(stack, certificate) > 0) return 1;
  X509_free(certificate);
  return 0;
}

// The headers of glibc have it for GNU's dialect only.
extern char *secure_getenv(const char *name);
// Loads what the system trusts. 0: not now, because descriptors or memory are missing or the file can't be read to its
// end; OpenSSL's own function takes that for a system that trusts nobody. A file that isn't there, or makes no sense, is
// no such reason: the folder of certificates, in which OpenSSL looks whenever it needs one, may have all of them.
static inline int lab_tls_load_system_roots(X509_STORE *store) {
  int could_read = 1;
  unsigned long code = 0;
  const char *file = secure_getenv(X509_get_default_cert_file_env());
  ERR_clear_error();
  if (X509_STORE_load_file(store, file != NULL ? file : X509_get_default_cert_file()) != 1) {
    while ((code = ERR_get_error()) != 0) {
      int reason = ERR_GET_REASON(code);
      if (ERR_GET_LIB(code) == ERR_LIB_SYS) {
        could_read = could_read && reason != EMFILE && reason != ENFILE && reason != ENOMEM && reason != EIO;
      } else {
        could_read = could_read && reason != ERR_R_MALLOC_FAILURE;
      }
    }
  }
  return could_read && X509_STORE_set_default_paths(store) == 1;
}

static inline STACK_OF(X509_CRL) *lab_tls_crls_new(void) { return sk_X509_CRL_new_null(); }
static inline void lab_tls_crls_free(STACK_OF(X509_CRL) *stack) { sk_X509_CRL_pop_free(stack, X509_CRL_free); }
static inline int lab_tls_crls_add(STACK_OF(X509_CRL) *stack, X509_CRL *list) {
  if (!X509_CRL_up_ref(list)) return 0;
  if (sk_X509_CRL_push(stack, list) > 0) return 1;
  X509_CRL_free(list);
  return 0;
}

// Whether OpenSSL passes the list over, as if there were none: it tells of changes only, is by another issuer, is for
// some reasons only, or its scope makes no sense.
static inline int lab_tls_crl_is_passed_over(const X509_CRL *list) {
  int critical = -1, kinds = 0, is_partial = 0;
  if (X509_CRL_get_ext_by_NID(list, NID_delta_crl, -1) >= 0) return 1;
  ISSUING_DIST_POINT *scope =
      (ISSUING_DIST_POINT *)X509_CRL_get_ext_d2i(list, NID_issuing_distribution_point, &critical, NULL);
  if (scope == NULL) return critical != -1;
  kinds = (scope->onlyuser > 0) + (scope->onlyCA > 0) + (scope->onlyattr > 0);
  is_partial = scope->indirectCRL > 0 || scope->onlysomereasons != NULL;
  ISSUING_DIST_POINT_free(scope);
  return is_partial || kinds > 1;
}

// How many distribution points have a name relative to the issuer.
static inline int lab_tls_relative_points(const X509 *certificate) {
  int count = 0;
  CRL_DIST_POINTS *points =
      (CRL_DIST_POINTS *)X509_get_ext_d2i(certificate, NID_crl_distribution_points, NULL, NULL);
  for (int index = 0; index < sk_DIST_POINT_num(points); index++) {
    const DIST_POINT *point = sk_DIST_POINT_value(points, index);
    count += point->distpoint != NULL && point->distpoint->type == 1;
  }
  CRL_DIST_POINTS_free(points);
  return count;
}

// What a PKCS#12 consists of.
static inline int lab_tls_safes_count(const STACK_OF(PKCS7) *safes) { return sk_PKCS7_num(safes); }
static inline PKCS7 *lab_tls_safe_at(const STACK_OF(PKCS7) *safes, int index) { return sk_PKCS7_value(safes, index); }
static inline void lab_tls_safes_free(STACK_OF(PKCS7) *safes) { sk_PKCS7_pop_free(safes, PKCS7_free); }
static inline int lab_tls_bags_count(const STACK_OF(PKCS12_SAFEBAG) *bags) { return sk_PKCS12_SAFEBAG_num(bags); }
static inline const PKCS12_SAFEBAG *lab_tls_bag_at(const STACK_OF(PKCS12_SAFEBAG) *bags, int index) {
  return sk_PKCS12_SAFEBAG_value(bags, index);
}
static inline void lab_tls_bags_free(STACK_OF(PKCS12_SAFEBAG) *bags) {
  sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
}
static inline int lab_tls_safe_is_clear(const PKCS7 *safe) { return PKCS7_type_is_data(safe); }
// What it is encrypted with; NULL: it is not.
static inline const X509_ALGOR *lab_tls_safe_cipher(const PKCS7 *safe) {
  if (!PKCS7_type_is_encrypted(safe) || safe->d.encrypted == NULL || safe->d.encrypted->enc_data == NULL) return NULL;
  return safe->d.encrypted->enc_data->algorithm;
}
static inline const X509_ALGOR *lab_tls_bag_cipher(const PKCS12_SAFEBAG *bag) {
  const X509_ALGOR *cipher = NULL;
  const X509_SIG *key = NULL;
  if (PKCS12_SAFEBAG_get_nid(bag) == NID_pkcs8ShroudedKeyBag) key = PKCS12_SAFEBAG_get0_pkcs8(bag);
  if (key != NULL) X509_SIG_get0(key, &cipher, NULL);
  return cipher;
}
static inline const STACK_OF(PKCS12_SAFEBAG) *lab_tls_bag_contents(const PKCS12_SAFEBAG *bag) {
  return PKCS12_SAFEBAG_get_nid(bag) == NID_safeContentsBag ? PKCS12_SAFEBAG_get0_safes(bag) : NULL;
}
static inline int64_t lab_tls_count_of(const ASN1_INTEGER *number) {
  int64_t count = 0;
  return number != NULL && ASN1_INTEGER_get_int64(&count, number) && count > 0 ? count : INT64_MAX;
}
// How often the derivation of the cipher's key hashes; 0 where that is not known: such a cipher can't be used either.
// The parameters of a MAC with a derivation of its own (PBMAC1, OpenSSL 3.4) have the form of those of PBES2.
static inline int64_t lab_tls_key_iterations(const X509_ALGOR *cipher) {
  int64_t count = 0;
  int scheme = OBJ_obj2nid(cipher->algorithm);
  if (scheme != NID_pbes2 && scheme != NID_pbmac1) {
    PBEPARAM *old = (PBEPARAM *)ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), cipher->parameter);
    if (old != NULL) count = lab_tls_count_of(old->iter);
    PBEPARAM_free(old);
    return count;
  }
  PBE2PARAM *parts = (PBE2PARAM *)ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), cipher->parameter);
  if (parts == NULL) return 0;
  int kind = OBJ_obj2nid(parts->keyfunc->algorithm);
  if (kind == NID_id_pbkdf2) {
    PBKDF2PARAM *two =
        (PBKDF2PARAM *)ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), parts->keyfunc->parameter);
    if (two != NULL) count = lab_tls_count_of(two->iter);
    PBKDF2PARAM_free(two);
  } else if (kind == NID_id_scrypt) {
    // Its memory is bounded, its repetition is not.
    SCRYPT_PARAMS *memory =
        (SCRYPT_PARAMS *)ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(SCRYPT_PARAMS), parts->keyfunc->parameter);
    if (memory != NULL) count = lab_tls_count_of(memory->parallelizationParameter);
    SCRYPT_PARAMS_free(memory);
    count = count < INT64_MAX >> 20 ? count << 20 : INT64_MAX;
  }
  PBE2PARAM_free(parts);
  return count;
}
static inline int64_t lab_tls_mac_iterations(const PKCS12 *container) {
  const ASN1_INTEGER *count = NULL;
  const X509_ALGOR *algorithm = NULL;
  PKCS12_get0_mac(NULL, &algorithm, NULL, &count, container);
  if (algorithm != NULL && OBJ_obj2nid(algorithm->algorithm) == NID_pbmac1) return lab_tls_key_iterations(algorithm);
  return count == NULL ? 0 : lab_tls_count_of(count);
}

static inline GENERAL_NAMES *lab_tls_names(const X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
static inline int lab_tls_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
// The bytes of one alternative name and its kind (GEN_DNS, GEN_IPADD), NULL for the other kinds.
static inline const unsigned char *lab_tls_name_at(const GENERAL_NAMES *names, int index, int *kind, int *length) {
  const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  const ASN1_STRING *text = NULL;
  if (name == NULL) return NULL;
  *kind = name->type;
  if (name->type == GEN_DNS) text = name->d.dNSName;
  if (name->type == GEN_IPADD) text = name->d.iPAddress;
  if (text == NULL) return NULL;
  *length = ASN1_STRING_length(text);
  return ASN1_STRING_get0_data(text);
}

// The constraints on names; NULL where there are none, or, with `is_there` set, where they can't be read.
static inline NAME_CONSTRAINTS *lab_tls_constraints(const X509 *certificate, int *is_there) {
  int critical = -1;
  NAME_CONSTRAINTS *found = (NAME_CONSTRAINTS *)X509_get_ext_d2i(certificate, NID_name_constraints, &critical, NULL);
  *is_there = critical != -1;
  return found;
}
static inline const STACK_OF(GENERAL_SUBTREE) *lab_tls_subtrees(const NAME_CONSTRAINTS *constraints, int excluded) {
  return excluded ? constraints->excludedSubtrees : constraints->permittedSubtrees;
}
static inline int lab_tls_subtree_count(const NAME_CONSTRAINTS *constraints, int excluded) {
  return sk_GENERAL_SUBTREE_num(lab_tls_subtrees(constraints, excluded));
}
// As lab_tls_name_at; the kinds that have no bytes get a kind, too, and a length of 0.
static inline const unsigned char *lab_tls_subtree_at(
    const NAME_CONSTRAINTS *constraints, int excluded, int index, int *kind, int *length) {
  const GENERAL_SUBTREE *subtree = sk_GENERAL_SUBTREE_value(lab_tls_subtrees(constraints, excluded), index);
  const ASN1_STRING *text = NULL;
  *length = 0;
  if (subtree == NULL || subtree->base == NULL) return NULL;
  *kind = subtree->base->type;
  if (*kind == GEN_DNS) text = subtree->base->d.dNSName;
  if (*kind == GEN_IPADD) text = subtree->base->d.iPAddress;
  if (text == NULL) return NULL;
  *length = ASN1_STRING_length(text);
  return ASN1_STRING_get0_data(text);
}
// 0: not known.
static inline int lab_tls_rsa_exponent_bits(const EVP_PKEY *key) {
  BIGNUM *exponent = NULL;
  int bits = 0;
  if (EVP_PKEY_get_bn_param(key, "e", &exponent) == 1) bits = BN_num_bits(exponent);
  BN_free(exponent);
  return bits;
}

// One line, commas between the parts, most specific last, other than ASCII as it stands.
static inline int lab_tls_print_name(BIO *out, const X509_NAME *name) {
  return X509_NAME_print_ex(out, name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB & ~XN_FLAG_SPC_EQ);
}
static inline long lab_tls_bio_contents(BIO *memory, char **bytes) { return BIO_get_mem_data(memory, bytes); }

static inline void lab_tls_set_options(SSL_CTX *context, int without_tickets) {
  uint64_t options = SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE;
  SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  // From version 3.2 on: certificates are looked at before OpenSSL reads them. The headers may be of an older version
  // than the library, to which the bit means nothing before.
  options |= (uint64_t)1 << 33;  // SSL_OP_NO_RX_CERTIFICATE_COMPRESSION
  SSL_CTX_set_options(context, options | (without_tickets ? SSL_OP_NO_TICKET : 0));
}
static inline uint64_t lab_tls_no_renegotiation(void) { return SSL_OP_NO_RENEGOTIATION; }
static inline int lab_tls_set_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest) && SSL_CTX_set_max_proto_version(context, highest);
}
static inline void lab_tls_set_modes(SSL_CTX *context, long bytes_of_certificates) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  // OpenSSL comes back behind every message that is no data, so that those can be counted.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_cert_list(context, bytes_of_certificates);
  SSL_CTX_set_dh_auto(context, 1);
}
// Nothing of the next record has been looked at.
static inline int lab_tls_awaits_record(const SSL *session) {
  const char *state = SSL_rstate_string(session);
  return state[0] == 'R' && state[1] == 'H';
}
static inline int lab_tls_add_chain(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int lab_tls_set_server_name(SSL *session, const char *name) {
  return (int)SSL_set_tlsext_host_name(session, name);
}
// The key of a ticket's authentication, HMAC with SHA-256; 0 when it can't be set.
static inline int lab_tls_ticket_mac(EVP_MAC_CTX *mac, void *key, size_t length) {
  OSSL_PARAM parameters[3];
  parameters[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, length);
  parameters[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0);
  parameters[2] = OSSL_PARAM_construct_end();
  return EVP_MAC_CTX_set_params(mac, parameters);
}
// The reason libssl gives when a certificate in a message can't be parsed.
static inline int lab_tls_asn1_reason(void) { return ERR_R_ASN1_LIB; }
static inline int lab_tls_decode_error(void) { return SSL_AD_DECODE_ERROR; }
static inline int lab_tls_internal_reason(void) { return ERR_R_INTERNAL_ERROR; }
// The reason libcrypto gives when no provider has an algorithm.
static inline int lab_tls_unsupported_reason(void) { return ERR_R_UNSUPPORTED; }
static inline int lab_tls_memory_reason(void) { return ERR_R_MALLOC_FAILURE; }
static inline int lab_tls_pause(SSL *session) { return SSL_set_retry_verify(session); }
static inline int lab_tls_cipher_count(const STACK_OF(SSL_CIPHER) *ciphers) { return sk_SSL_CIPHER_num(ciphers); }
static inline const SSL_CIPHER *lab_tls_cipher_at(const STACK_OF(SSL_CIPHER) *ciphers, int index) {
  return sk_SSL_CIPHER_value(ciphers, index);
}

// TLS of captures: key derivations.
#include <openssl/kdf.h>

// Scripted peers: sessions on memory BIOs with watched messages, and the primitives of a record made by hand.
#include <openssl/hmac.h>
#include <openssl/pem.h>

static inline int lab_peer_set_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest) && SSL_CTX_set_max_proto_version(context, highest);
}
static inline void lab_peer_keep_no_sessions(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
static inline int lab_peer_set_groups(SSL_CTX *context, const char *names) {
  return SSL_CTX_set1_groups_list(context, names);
}
static inline int lab_peer_add_chain(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int lab_peer_set_signatures(SSL_CTX *context, const char *names) {
  return (int)SSL_CTX_set1_sigalgs_list(context, names);
}
static inline void lab_peer_clear_chain(SSL_CTX *context) { SSL_CTX_clear_chain_certs(context); }
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
// The recorder, which is a server to the client and a client to the server.
static inline void lab_record_set_modes(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN | SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_LEGACY_SERVER_CONNECT);
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
  SSL_CTX_set_max_cert_list(context, 1 << 20);
}
static inline int lab_record_set_latest(SSL *session, int version) {
  return SSL_set_max_proto_version(session, version);
}
static inline int lab_record_reason(unsigned long code) { return ERR_GET_REASON(code); }

// Makes it list so many authorities, all with an empty name; 0: no memory.
static inline int lab_peer_list_authorities(SSL_CTX *context, int count) {
  STACK_OF(X509_NAME) *names = sk_X509_NAME_new_null();
  if (names == NULL) return 0;
  for (int index = 0; index < count; index++) {
    X509_NAME *name = X509_NAME_new();
    if (name != NULL && sk_X509_NAME_push(names, name) > 0) continue;
    X509_NAME_free(name);
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return 0;
  }
  SSL_CTX_set0_CA_list(context, names);
  return 1;
}
static inline int lab_peer_stack_count(const STACK_OF(X509) *stack) { return stack ? sk_X509_num(stack) : 0; }
static inline X509 *lab_peer_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
#endif
