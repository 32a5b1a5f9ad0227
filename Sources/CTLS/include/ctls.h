// The part of OpenSSL that a TLS server needs. PEM is read from memory, and no function prompts for
// a password.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct ssl_ctx_st;
struct ssl_st;

/// The fault of a certificate or its key.
enum ctls_fault {
    ctls_sound,
    /// The certificate's PEM has no certificate, or a damaged one.
    ctls_no_certificate,
    /// The key's PEM has no private key, or a damaged one.
    ctls_no_key,
    /// The key is encrypted with a password.
    ctls_encrypted_key,
    /// The key does not belong to the first certificate.
    ctls_mismatch,
    /// The private half of the key does not belong to its public half.
    ctls_damaged_key,
    /// OpenSSL rejects the pair, for example because the key is too short; `reason` says why.
    ctls_refused,
};

/// Creates the settings of a server with a certificate chain, its own first, and its key.
///
/// TLS 1.2 or later with forward secrecy; no compression, no renegotiation. Sessions resume by
/// tickets only; the server caches none. Returns null unless `fault` is `ctls_sound`. `reason` is
/// null or a static string.
struct ssl_ctx_st *ctls_new(const uint8_t *certificate, size_t certificate_count,
                                    const uint8_t *key, size_t key_count,
                                    enum ctls_fault *fault, const char **reason);
void ctls_free(struct ssl_ctx_st *context);

/// Creates the server's side of one connection; it keeps the settings alive. Returns null if out of
/// memory.
struct ssl_st *ctls_session(struct ssl_ctx_st *context);

/// Computes the SHA-256 of the certificate's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7); returns 1 on
/// success.
int ctls_pin(const struct ssl_ctx_st *context, uint8_t digest[32]);

/// Reads the certificate's validity in seconds since 1970; returns 0 if it cannot be read.
int ctls_validity(const struct ssl_ctx_st *context, int64_t *from, int64_t *until);

/// Returns 1 if the certificate is signed with its own key.
int ctls_is_self_signed(const struct ssl_ctx_st *context);

/// Writes a new P-256 key as PEM; returns the byte count, or 0 on an error or lack of space.
size_t ctls_make_key(uint8_t *pem, size_t room);

/// Writes a self-signed certificate for a key as PEM; returns the byte count, or 0 on an error.
///
/// It is valid from 2000 on without an end (RFC 5280 §4.1.2.5): clients pin the key itself, and
/// check no dates or names.
size_t ctls_make_certificate(const uint8_t *key, size_t key_count, uint8_t *pem,
                                     size_t room);
