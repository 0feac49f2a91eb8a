/* The guest kernel's random generator: fresh entropy in, proof that it took effect out. */
#pragma once

#include "agent.h"

/* Credits the bytes and makes the generator use them at once. */
int random_reseed(const uint8_t *entropy, size_t length);
int random_draw(uint8_t *buffer, size_t length);
/* A draw from the kernel's own uuid file; `uuid` has 37 bytes. */
int random_uuid(char *uuid);
