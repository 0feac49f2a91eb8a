/* Where something is mounted, by the paths the guest sees. */
#pragma once

#include "agent.h"

struct mount {
  char *path;
  bool tmpfs; /* a whole tmpfs that can be seen at this path */
};

/* Reads the mounts of now and returns how many there are, or -errno. */
int mounts_read(void);
const struct mount *mount_at_index(int index);
bool is_mount_point(const char *path);
