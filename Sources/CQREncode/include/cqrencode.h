// The part of libqrencode that Wake uses.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// The number of modules of the largest code, version 40: 177 × 177.
#define CQRENCODE_ROOM 31329

/// Encodes bytes at error correction level L; writes one byte per module, row by row, 1 for dark.
///
/// Returns the modules per side, or 0 if there are no bytes, too many for any code, or no memory.
int cqrencode_encode(const uint8_t *bytes, size_t count, uint8_t modules[CQRENCODE_ROOM]);
