// The few calls that a server needs of OpenSSL's TLS. PEM is read from memory and nobody is ever
// asked for a password.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct ssl_ctx_st;
struct ssl_st;

/// What is wrong with a certificate and its key.
enum ctls_fault {
    ctls_sound,
    /// No certificate, or a damaged one, in the first text.
    ctls_no_certificate,
    /// No private key, or a damaged one, in the second.
    ctls_no_key,
    /// The key can be read with a password only.
    ctls_encrypted_key,
    /// The key is not that of the first certificate.
    ctls_mismatch,
    /// OpenSSL does not take the pair, as a key that is too short; `reason` says why.
    ctls_refused,
};

/// The settings of a server with a chain of certificates, its own first, and the key of that.
///
/// TLS 1.2 at least, with forward secrecy; no compression and no renegotiation. Sessions are
/// resumed by tickets alone, so none is kept. Null where `fault` is not sound; `reason` is null or
/// lives for ever.
struct ssl_ctx_st *ctls_new(const uint8_t *certificate, size_t certificate_count,
                                    const uint8_t *key, size_t key_count,
                                    enum ctls_fault *fault, const char **reason);
void ctls_free(struct ssl_ctx_st *context);

/// The server's side of one connection, which keeps its settings alive; null where memory ends.
struct ssl_st *ctls_session(struct ssl_ctx_st *context);

/// SHA-256 of the SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7) of the server's certificate.
int ctls_pin(const struct ssl_ctx_st *context, uint8_t digest[32]);

/// From when to when the server's certificate is good, in seconds since 1970; 0 where it is unclear.
int ctls_validity(const struct ssl_ctx_st *context, int64_t *from, int64_t *until);

/// Whether the server's certificate is signed with its own key.
int ctls_is_self_signed(const struct ssl_ctx_st *context);

/// Writes a new P-256 key as PEM; returns the count, which is 0 where it fails or lacks room.
size_t ctls_make_key(uint8_t *pem, size_t room);

/// Writes a certificate for a key, signed with it, as PEM; returns the count, 0 where it fails.
///
/// It is good from 2000 and, as RFC 5280 (section 4.1.2.5) has it, without end: who trusts it knows
/// the key itself and looks at no date or name.
size_t ctls_make_certificate(const uint8_t *key, size_t key_count, uint8_t *pem,
                                     size_t room);
