/* Reads a tar archive from the standard input, member by member. */
#pragma once

#include <time.h>

#include "entry.h"
#include "tar.h"

struct member {
  char name[MAX_PATH];
  char link[MAX_PATH];
  char type;
  mode_t mode;
  uint32_t uid, gid;
  uint64_t size; /* of the content that follows */
  struct timespec modified;
  uint32_t major, minor;
};

enum tar_event { TAR_MEMBER, TAR_END, TAR_BROKEN };

/* Takes all headers of the next member; `why` says what is broken. */
enum tar_event tar_next(struct member *member, const char **why);
/* The next bytes of the input, at most so many; 0 at its end, which is too early for a member. */
size_t tar_take(uint64_t most, const uint8_t **data);
/* Takes the blanks after content of this size; false when the input ends. */
bool tar_skip_padding(uint64_t size);
/* Takes the blanks that programs put after the end of an archive. */
void tar_skip_end(void);
