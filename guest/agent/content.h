/* The content of a regular file, read once: its digest, and its lines when it is text. */
#pragma once

#include "entry.h"

/* Fills size, hash and lines from an open file of this size; -errno when it cannot be read. */
int content_read(int fd, uint64_t size, struct entry *entry);
