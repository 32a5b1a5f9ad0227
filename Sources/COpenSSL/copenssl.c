#include "copenssl.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Fetched once: fetching takes longer than most calls that use the algorithm. */
static struct {
    EVP_MD *sha256;
    /* Without a key; each MAC starts as a copy of it. */
    EVP_MAC_CTX *hmac;
    EVP_KDF *hkdf;
} algorithms;

static EVP_MAC_CTX *hmac_of_sha256(void) {
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    if (hmac == NULL) return NULL;
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    EVP_MAC_free(hmac);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    if (context != NULL && EVP_MAC_CTX_set_params(context, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

static void fetch_algorithms(void) {
    algorithms.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    algorithms.hmac = hmac_of_sha256();
    algorithms.hkdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
}

static int has_algorithms(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, fetch_algorithms) == 0 && algorithms.sha256 != NULL
        && algorithms.hmac != NULL && algorithms.hkdf != NULL;
}

int copenssl_sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]) {
    if (!has_algorithms()) return 0;
    /* One spare context: a merge digests two cells for each that it replaces. */
    static _Atomic(EVP_MD_CTX *) spare;
    EVP_MD_CTX *context = atomic_exchange(&spare, NULL);
    if (context == NULL) context = EVP_MD_CTX_new();
    int done = context != NULL
        && EVP_DigestInit_ex2(context, EVP_MD_CTX_get0_md(context) ? NULL : algorithms.sha256, NULL)
            == 1
        && EVP_DigestUpdate(context, bytes, count) == 1
        && EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(atomic_exchange(&spare, context));
    return done;
}

struct copenssl_digest {
    EVP_MD_CTX *context;
};

copenssl_digest *copenssl_digest_new(void) {
    if (!has_algorithms()) return NULL;
    copenssl_digest *digest = malloc(sizeof *digest);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (digest == NULL || context == NULL
        || EVP_DigestInit_ex(context, algorithms.sha256, NULL) != 1) {
        EVP_MD_CTX_free(context);
        free(digest);
        return NULL;
    }
    digest->context = context;
    return digest;
}

int copenssl_digest_add(copenssl_digest *digest, const uint8_t *bytes, size_t count) {
    return EVP_DigestUpdate(digest->context, bytes, count) == 1;
}

int copenssl_digest_finish(copenssl_digest *digest, uint8_t sum[32]) {
    return EVP_DigestFinal_ex(digest->context, sum, NULL) == 1;
}

void copenssl_digest_free(copenssl_digest *digest) {
    EVP_MD_CTX_free(digest->context);
    free(digest);
}

struct copenssl_mac {
    EVP_MAC_CTX *context;
};

copenssl_mac *copenssl_mac_new(const uint8_t *key, size_t count) {
    if (!has_algorithms()) return NULL;
    EVP_MAC_CTX *context = EVP_MAC_CTX_dup(algorithms.hmac);
    if (context == NULL) return NULL;
    copenssl_mac *mac = malloc(sizeof *mac);
    if (mac == NULL || EVP_MAC_init(context, key, count, NULL) != 1) {
        EVP_MAC_CTX_free(context);
        free(mac);
        return NULL;
    }
    mac->context = context;
    return mac;
}

int copenssl_mac_compute(copenssl_mac *mac, const uint8_t *bytes, size_t count, uint8_t tag[32]) {
    size_t written = 0;
    return EVP_MAC_init(mac->context, NULL, 0, NULL) == 1
        && EVP_MAC_update(mac->context, bytes, count) == 1
        && EVP_MAC_final(mac->context, tag, &written, 32) == 1 && written == 32;
}

void copenssl_mac_free(copenssl_mac *mac) {
    EVP_MAC_CTX_free(mac->context);
    free(mac);
}

int copenssl_equal(const uint8_t *left, const uint8_t *right, size_t count) {
    return CRYPTO_memcmp(left, right, count) == 0;
}

/* HKDF-Extract (RFC 5869 §2.2). The HKDF of OpenSSL 3.0 would fetch HMAC for each step. */
static int hkdf_extract(const uint8_t *secret, size_t secret_count, const uint8_t *salt,
                        size_t salt_count, uint8_t key[32]) {
    static const uint8_t no_salt[32];
    copenssl_mac *mac = salt_count > 0 ? copenssl_mac_new(salt, salt_count)
                                       : copenssl_mac_new(no_salt, sizeof no_salt);
    if (mac == NULL) return 0;
    int done = copenssl_mac_compute(mac, secret, secret_count, key);
    copenssl_mac_free(mac);
    return done;
}

int copenssl_hkdf(const uint8_t *secret, size_t secret_count, const uint8_t *salt,
                  size_t salt_count, const uint8_t *info, size_t info_count, uint8_t *out,
                  size_t out_count) {
    uint8_t key[32];
    if (!has_algorithms() || !hkdf_extract(secret, secret_count, salt, salt_count, key)) return 0;
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(algorithms.hkdf);
    if (context == NULL) return 0;
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key, sizeof key),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count),
        OSSL_PARAM_construct_end(),
    };
    int done = EVP_KDF_derive(context, out, out_count, parameters) == 1;
    EVP_KDF_CTX_free(context);
    OPENSSL_cleanse(key, sizeof key);
    return done;
}

static int gcm(int encrypt, const uint8_t key[32], const uint8_t nonce[12], const uint8_t *aad,
               size_t aad_count, const uint8_t *bytes, size_t count, uint8_t *out, uint8_t *tag) {
    int written = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return 0;
    int done = EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce, encrypt) == 1
        && (encrypt || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1)
        && EVP_CipherUpdate(context, NULL, &written, aad, (int)aad_count) == 1
        && EVP_CipherUpdate(context, out, &written, bytes, (int)count) == 1
        && EVP_CipherFinal_ex(context, out + written, &written) == 1
        && (!encrypt || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
    EVP_CIPHER_CTX_free(context);
    return done;
}

int copenssl_gcm_seal(const uint8_t key[32], const uint8_t nonce[12], const uint8_t *aad,
                      size_t aad_count, const uint8_t *bytes, size_t count, uint8_t *out) {
    return gcm(1, key, nonce, aad, aad_count, bytes, count, out, out + count);
}

int copenssl_gcm_open(const uint8_t key[32], const uint8_t nonce[12], const uint8_t *aad,
                      size_t aad_count, const uint8_t *bytes, size_t count, uint8_t *out) {
    if (count < 16) return 0;
    return gcm(0, key, nonce, aad, aad_count, bytes, count - 16, out,
               (uint8_t *)bytes + count - 16);
}

static int public_key(int type, const uint8_t private_key[32], uint8_t out[32]) {
    size_t count = 32;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(type, NULL, private_key, 32);
    int done = key != NULL && EVP_PKEY_get_raw_public_key(key, out, &count) == 1 && count == 32;
    EVP_PKEY_free(key);
    return done;
}

int copenssl_x25519_public(const uint8_t private_key[32], uint8_t out[32]) {
    return public_key(EVP_PKEY_X25519, private_key, out);
}

int copenssl_x25519_shared(const uint8_t private_key[32], const uint8_t peer_key[32],
                           uint8_t shared[32]) {
    size_t count = 32;
    EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, private_key, 32);
    EVP_PKEY *peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, peer_key, 32);
    EVP_PKEY_CTX *context = own != NULL ? EVP_PKEY_CTX_new(own, NULL) : NULL;
    int done = context != NULL && peer != NULL && EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_derive_set_peer(context, peer) == 1
        && EVP_PKEY_derive(context, shared, &count) == 1 && count == 32;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(own);
    return done;
}

int copenssl_ed25519_public(const uint8_t seed[32], uint8_t out[32]) {
    return public_key(EVP_PKEY_ED25519, seed, out);
}

int copenssl_ed25519_sign(const uint8_t seed[32], const uint8_t *bytes, size_t count,
                          uint8_t signature[64]) {
    size_t written = 64;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = key != NULL && context != NULL
        && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1
        && EVP_DigestSign(context, signature, &written, bytes, count) == 1 && written == 64;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return done;
}

int copenssl_ed25519_verifies(const uint8_t public_key[32], const uint8_t *bytes, size_t count,
                              const uint8_t signature[64]) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = key != NULL && context != NULL
        && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1
        && EVP_DigestVerify(context, signature, 64, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return done;
}
