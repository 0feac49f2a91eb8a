#include "ring.h"

#include <string.h>

static bool error_at(const struct ring *ring, size_t at) { return ring->errors[at / 8] >> (at % 8) & 1; }

static void mark(struct ring *ring, bool error, size_t from, size_t length) {
  for (size_t at = from; at < from + length;) {
    if (at % 8 == 0 && from + length - at >= 8) {
      ring->errors[at / 8] = error ? 0xff : 0;
      at += 8;
      continue;
    }
    uint8_t bit = (uint8_t)(1u << (at % 8));
    if (error)
      ring->errors[at / 8] |= bit;
    else
      ring->errors[at / 8] &= (uint8_t)~bit;
    at++;
  }
}

void ring_add(struct ring *ring, bool error, const uint8_t *data, size_t length) {
  while (length > 0) {
    size_t at = ring->total % RING_SIZE;
    size_t some = length < RING_SIZE - at ? length : RING_SIZE - at;
    memcpy(ring->data + at, data, some);
    mark(ring, error, at, some);
    ring->total += some;
    data += some;
    length -= some;
  }
}

uint64_t ring_first(const struct ring *ring) { return ring->total > RING_SIZE ? ring->total - RING_SIZE : 0; }

size_t ring_run(const struct ring *ring, uint64_t from, size_t most, const uint8_t **data, bool *error) {
  size_t at = from % RING_SIZE, length = 0;
  if (most > ring->total - from) most = (size_t)(ring->total - from);
  if (most > RING_SIZE - at) most = RING_SIZE - at;
  *data = ring->data + at;
  *error = error_at(ring, at);
  while (length < most && error_at(ring, at + length) == *error) length++;
  return length;
}
