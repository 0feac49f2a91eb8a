/* Starting programs: own session, clean signals, the agent's environment plus what the caller adds. */
#pragma once

#include "agent.h"

struct spawn {
  char *const *argv;
  char *const *extra_env; /* NULL-terminated KEY=VALUE, may be NULL */
  const char *cwd;        /* NULL or "": the home folder */
  int fds[5];             /* descriptors that become 0, 1, 2, 3, 4; -1: not open, for 0 to 2 /dev/null */
};

/* The process id, or -errno; `complaint` then says what failed. */
pid_t spawn_process(const struct spawn *spawn, char *complaint, size_t size);
/* Whether PATH has such a program. */
bool program_exists(const char *name);
