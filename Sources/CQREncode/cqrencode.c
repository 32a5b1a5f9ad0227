#include "cqrencode.h"

#include <limits.h>
#include <qrencode.h>

int cqrencode_encode(const uint8_t *bytes, size_t count, uint8_t modules[CQRENCODE_ROOM]) {
    if (!count || count > INT_MAX) return 0;
    QRcode *code = QRcode_encodeData((int)count, bytes, 0, QR_ECLEVEL_L);
    if (!code) return 0;
    int side = code->width;
    if (side * side > CQRENCODE_ROOM) side = 0;
    for (int index = 0; index < side * side; index++) modules[index] = code->data[index] & 1;
    QRcode_free(code);
    return side;
}
