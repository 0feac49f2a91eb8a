/* The fork handshake: clock, entropy and names of a fresh child, its runtimes and its hooks. */
#pragma once

#include "wire.h"

void identity_begin(uint64_t token, struct reader in);
/* The host that asked is gone: what was begun is given up, and a new handshake may come. */
void identity_abort(void);
bool identity_pump(void);
bool identity_reaped(pid_t pid, int status);
int identity_set_clock(int64_t wall, int64_t *step);
