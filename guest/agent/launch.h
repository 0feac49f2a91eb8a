/* The way into a program by fork, for what posix_spawn cannot do: another user, a terminal. */
#pragma once

#include "spawn.h"

/* Zero when the program runs, else why it does not, as errno says it. */
int launch_forked(const struct spawn *spawn, const char *path, const char *cwd, char *const *env, pid_t *pid);
