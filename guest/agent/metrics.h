/* How much of its CPUs, memory and disk the guest uses. */
#pragma once

#include "streams.h"

void metrics_open(struct stream *stream, struct reader in);
