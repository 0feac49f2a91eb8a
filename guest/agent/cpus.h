/* How many of the guest's CPUs are in use. */
#pragma once

#include "streams.h"

/* Done by a forked child: it may take the kernel a while. */
void cpus_open(struct stream *stream, struct reader in);
