/* Starting programs: own session, clean signals, the agent's environment plus what the caller adds. */
#pragma once

#include "account.h"

struct spawn {
  char *const *argv;
  char *const *extra_env; /* NULL-terminated KEY=VALUE, may be NULL */
  const char *cwd;        /* NULL or "": the home folder */
  int fds[5];             /* descriptors that become 0, 1, 2, 3, 4; -1: not open, for 0 to 2 /dev/null */
  const struct account *account; /* who it runs as, with that user's variables; NULL: as the agent */
  bool terminal;                 /* with an account: descriptor 0 becomes the session's terminal */
};

/* The process id, or -errno; `complaint` then says what failed. */
pid_t spawn_process(const struct spawn *spawn, char *complaint, size_t size);
/* Whether PATH has such a program. */
bool program_exists(const char *name);
