/* SHA-256 (FIPS 180-4), fed piece by piece. */
#pragma once

#include "agent.h"

#define SHA256_SIZE 32

struct sha256 {
  uint32_t state[8];
  uint64_t length; /* bytes fed so far */
  uint8_t block[64];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *data, size_t length);
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_SIZE]);
