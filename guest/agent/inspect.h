/* Inspections: what a host asks about files and processes. Each is done by a forked child of the
   agent, so that hashing a gigabyte holds up nobody. */
#pragma once

#include "streams.h"

void inspect_open(struct stream *stream, struct reader in);
