// The part of OpenSSL 3 that Wake uses; none of its types reaches Swift. Functions that return an
// int return 1 on success, else 0; those that return a pointer return NULL on failure.
#pragma once
#include <stddef.h>
#include <stdint.h>

int copenssl_sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]);

/// Incremental SHA-256; not thread-safe.
typedef struct copenssl_digest copenssl_digest;
copenssl_digest *copenssl_digest_new(void);
int copenssl_digest_add(copenssl_digest *digest, const uint8_t *bytes, size_t count);
int copenssl_digest_finish(copenssl_digest *digest, uint8_t sum[32]);
void copenssl_digest_free(copenssl_digest *digest);

/// A keyed HMAC-SHA-256 context, reused for each message; not thread-safe.
typedef struct copenssl_mac copenssl_mac;
copenssl_mac *copenssl_mac_new(const uint8_t *key, size_t count);
int copenssl_mac_compute(copenssl_mac *mac, const uint8_t *bytes, size_t count, uint8_t tag[32]);
void copenssl_mac_free(copenssl_mac *mac);

/// Returns 1 if two buffers are equal; constant time for a given `count`.
int copenssl_equal(const uint8_t *left, const uint8_t *right, size_t count);

/// HKDF-SHA-256 (RFC 5869), extract and expand.
int copenssl_hkdf(const uint8_t *secret, size_t secret_count, const uint8_t *salt,
                  size_t salt_count, const uint8_t *info, size_t info_count, uint8_t *out,
                  size_t out_count);

/// AES-256-GCM with a 12-byte nonce; `out` receives `count` bytes and the 16-byte tag.
int copenssl_gcm_seal(const uint8_t key[32], const uint8_t nonce[12], const uint8_t *aad,
                      size_t aad_count, const uint8_t *bytes, size_t count, uint8_t *out);

/// The inverse; `bytes` ends with the tag, and `out` receives `count` - 16 bytes.
int copenssl_gcm_open(const uint8_t key[32], const uint8_t nonce[12], const uint8_t *aad,
                      size_t aad_count, const uint8_t *bytes, size_t count, uint8_t *out);

/// The X25519 public key (RFC 7748) of a private key of 32 random bytes.
int copenssl_x25519_public(const uint8_t private_key[32], uint8_t public_key[32]);

/// The secret that both sides of an X25519 agreement compute; fails if it is all zeros.
int copenssl_x25519_shared(const uint8_t private_key[32], const uint8_t peer_key[32],
                           uint8_t shared[32]);

/// The Ed25519 public key (RFC 8032) of a seed of 32 random bytes.
int copenssl_ed25519_public(const uint8_t seed[32], uint8_t public_key[32]);

/// The Ed25519 signature of a message.
int copenssl_ed25519_sign(const uint8_t seed[32], const uint8_t *bytes, size_t count,
                          uint8_t signature[64]);

/// Returns 1 if the signature is the message's under this key, 0 if not or if the key is no point.
int copenssl_ed25519_verifies(const uint8_t public_key[32], const uint8_t *bytes, size_t count,
                              const uint8_t signature[64]);
