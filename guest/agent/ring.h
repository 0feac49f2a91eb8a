/* The last output of a process, with which of its bytes went to which channel. */
#pragma once

#include "agent.h"

#define RING_SIZE 65536u

struct ring {
  uint64_t total; /* bytes ever added; the last RING_SIZE of them are here */
  uint8_t data[RING_SIZE];
  uint8_t errors[RING_SIZE / 8]; /* a bit for each byte: 1 when it was an error's */
};

void ring_add(struct ring *ring, bool error, const uint8_t *data, size_t length);
/* The number of the first byte that is still here. */
uint64_t ring_first(const struct ring *ring);
/* The bytes from this number on that lie together and went to one channel; at most `most`. */
size_t ring_run(const struct ring *ring, uint64_t from, size_t most, const uint8_t **data, bool *error);
