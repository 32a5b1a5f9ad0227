// The one call that Wake needs of libqrencode.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Room for the modules of the largest code, version 40, whose side is 177.
#define CQRENCODE_ROOM 31329

/// Encodes bytes at error correction level L, one byte a module, row by row: 1 for a dark one.
///
/// Returns how many modules a side has; 0 where there are more bytes than any code can hold, or no memory.
int cqrencode_encode(const uint8_t *bytes, size_t count, uint8_t modules[CQRENCODE_ROOM]);
