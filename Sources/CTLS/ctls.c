#define _DEFAULT_SOURCE // timegm
#include "ctls.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string.h>
#include <time.h>

/// Provides no password, and records that one was requested.
static int no_password(char *buffer, int size, int writing, void *was_asked) {
    (void)buffer, (void)size, (void)writing;
    if (was_asked != NULL) *(int *)was_asked = 1;
    return -1;
}

static BIO *reader(const uint8_t *pem, size_t count) {
    return count <= INT32_MAX ? BIO_new_mem_buf(pem, (int)count) : NULL;
}

static EVP_PKEY *read_key(const uint8_t *pem, size_t count, int *is_encrypted) {
    BIO *input = reader(pem, count);
    if (input == NULL) return NULL;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(input, NULL, no_password, is_encrypted);
    BIO_free(input);
    return key;
}

/// Whether the last error is only the end of the PEM text.
static int is_at_end(void) {
    unsigned long error = ERR_peek_last_error();
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

/// Adds the certificates that follow the server's own to its chain.
static enum ctls_fault use_chain(SSL_CTX *context, BIO *input) {
    X509 *next;
    while ((next = PEM_read_bio_X509(input, NULL, no_password, NULL)) != NULL) {
        if (SSL_CTX_add0_chain_cert(context, next) != 1) {
            X509_free(next);
            return ctls_refused;
        }
    }
    return is_at_end() ? ctls_sound : ctls_no_certificate;
}

/// Whether the halves of a key belong together; true for kinds of keys that OpenSSL cannot check.
static int is_pair(EVP_PKEY *key) {
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new(key, NULL);
    if (check == NULL) return 1;
    int result = EVP_PKEY_pairwise_check(check);
    EVP_PKEY_CTX_free(check);
    ERR_clear_error();
    return result != 0;
}

static enum ctls_fault use_certificates(SSL_CTX *context, EVP_PKEY *key, BIO *input) {
    X509 *own = PEM_read_bio_X509(input, NULL, no_password, NULL);
    if (own == NULL) return ctls_no_certificate;
    enum ctls_fault fault = ctls_sound;
    if (X509_check_private_key(own, key) != 1) {
        fault = ctls_mismatch;
    } else if (!is_pair(key)) {
        fault = ctls_damaged_key;
    } else if (SSL_CTX_use_certificate(context, own) != 1
               || SSL_CTX_use_PrivateKey(context, key) != 1) {
        fault = ctls_refused;
    }
    X509_free(own);
    return fault == ctls_sound ? use_chain(context, input) : fault;
}

static enum ctls_fault use_identity(SSL_CTX *context, const uint8_t *certificate,
                                            size_t certificate_count, const uint8_t *key,
                                            size_t key_count) {
    int is_encrypted = 0;
    EVP_PKEY *private_key = read_key(key, key_count, &is_encrypted);
    if (private_key == NULL) {
        return is_encrypted ? ctls_encrypted_key : ctls_no_key;
    }
    ERR_clear_error();
    BIO *input = reader(certificate, certificate_count);
    enum ctls_fault fault = ctls_no_certificate;
    if (input != NULL) fault = use_certificates(context, private_key, input);
    BIO_free(input);
    EVP_PKEY_free(private_key);
    return fault;
}

static int configure(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION
                                     | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

struct ssl_ctx_st *ctls_new(const uint8_t *certificate, size_t certificate_count,
                                    const uint8_t *key, size_t key_count,
                                    enum ctls_fault *fault, const char **reason) {
    ERR_clear_error();
    *fault = ctls_refused;
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context != NULL && configure(context)) {
        *fault = use_identity(context, certificate, certificate_count, key, key_count);
    }
    *reason = ERR_reason_error_string(ERR_peek_error());
    ERR_clear_error();
    if (*fault == ctls_sound) return context;
    SSL_CTX_free(context);
    return NULL;
}

void ctls_free(struct ssl_ctx_st *context) {
    SSL_CTX_free(context);
}

struct ssl_st *ctls_session(struct ssl_ctx_st *context) {
    return SSL_new(context);
}

int ctls_pin(const struct ssl_ctx_st *context, uint8_t digest[32]) {
    unsigned char *bytes = NULL;
    int count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(SSL_CTX_get0_certificate(context)), &bytes);
    int done = count > 0
        && EVP_Q_digest(NULL, "SHA256", NULL, bytes, (size_t)count, digest, NULL) == 1;
    OPENSSL_free(bytes);
    return done;
}

static int seconds(const ASN1_TIME *time, int64_t *result) {
    struct tm parts;
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    *result = timegm(&parts);
    return 1;
}

int ctls_validity(const struct ssl_ctx_st *context, int64_t *from, int64_t *until) {
    const X509 *certificate = SSL_CTX_get0_certificate(context);
    return seconds(X509_get0_notBefore(certificate), from)
        && seconds(X509_get0_notAfter(certificate), until);
}

int ctls_is_self_signed(const struct ssl_ctx_st *context) {
    int is_self_signed = X509_self_signed(SSL_CTX_get0_certificate(context), 1) == 1;
    ERR_clear_error();
    return is_self_signed;
}

/// Copies the content of `output` to `bytes`; returns the count, or 0 if it does not fit.
static size_t take(BIO *output, uint8_t *bytes, size_t room) {
    char *content = NULL;
    long count = BIO_get_mem_data(output, &content);
    if (count <= 0 || (size_t)count > room) return 0;
    memcpy(bytes, content, (size_t)count);
    return (size_t)count;
}

size_t ctls_make_key(uint8_t *pem, size_t room) {
    size_t count = 0;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    BIO *output = BIO_new(BIO_s_secmem());
    if (key != NULL && output != NULL
        && PEM_write_bio_PKCS8PrivateKey(output, key, NULL, NULL, 0, NULL, NULL) == 1) {
        count = take(output, pem, room);
    }
    BIO_free(output);
    EVP_PKEY_free(key);
    return count;
}

/// Fills in and signs a certificate.
static int describe(X509 *certificate, EVP_PKEY *key) {
    unsigned char name[] = "wake-server";
    uint64_t serial = 0;
    X509_NAME *subject = X509_get_subject_name(certificate);
    return RAND_bytes((unsigned char *)&serial, sizeof serial) == 1
        && X509_set_version(certificate, X509_VERSION_3) == 1
        && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1
        && X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1
        && X509_set_issuer_name(certificate, subject) == 1
        && ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "20000101000000Z") == 1
        && ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z") == 1
        && X509_set_pubkey(certificate, key) == 1
        && X509_sign(certificate, key, EVP_sha256()) > 0;
}

size_t ctls_make_certificate(const uint8_t *key, size_t key_count, uint8_t *pem,
                                     size_t room) {
    size_t count = 0;
    EVP_PKEY *private_key = read_key(key, key_count, NULL);
    X509 *certificate = X509_new();
    BIO *output = BIO_new(BIO_s_mem());
    if (private_key != NULL && certificate != NULL && output != NULL
        && describe(certificate, private_key) && PEM_write_bio_X509(output, certificate) == 1) {
        count = take(output, pem, room);
    }
    BIO_free(output);
    X509_free(certificate);
    EVP_PKEY_free(private_key);
    ERR_clear_error();
    return count;
}
