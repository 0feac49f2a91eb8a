/* Names of a tar archive's entries, which must not lead out of the folder it is unpacked into. */
#pragma once

#include "agent.h"

/* Takes empty and "." parts out of a name; false for an absolute one and for one with "..". */
bool tar_clean(char *name);
/* Opens the folder that a clean name is in, below `target`, making those that are missing with
   `make`, and finds the last part of the name. Links are followed only where they stay below the
   target. -1 with errno; EXDEV when it leads out,
   or nowhere. */
int tar_parent(int target, char *name, int (*make)(int folder, const char *name), const char **last);
/* Opens a folder below another without leaving it; -1 with errno. */
int open_beneath(int folder, const char *name);
