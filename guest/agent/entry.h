/* What an inspection tells of one path. */
#pragma once

#include <sys/stat.h>

#include "sha256.h"

#define MAX_PATH 4096 /* with its terminating zero, as the kernel counts */
#define NOT_TEXT UINT32_MAX

enum entry_type {
  ENTRY_ABSENT = 0,
  ENTRY_FILE = 1,
  ENTRY_DIRECTORY = 2,
  ENTRY_SYMLINK = 3,
  ENTRY_REMOVED = 4, /* an overlay's whiteout, or hidden by one */
  ENTRY_FIFO = 5,
  ENTRY_SOCKET = 6,
  ENTRY_CHAR_DEVICE = 7,
  ENTRY_BLOCK_DEVICE = 8,
};

struct entry {
  uint8_t type;
  bool opaque; /* a directory that hides what the image has below it */
  uint16_t mode;
  uint32_t uid, gid;
  uint64_t size;  /* of a file, else 0 */
  uint32_t lines; /* of a text file, else NOT_TEXT */
  bool hashed;    /* false for a file that could not be read, and for all that are none */
  uint8_t hash[SHA256_SIZE];
  char target[MAX_PATH]; /* of a symlink; of a device its numbers; else empty */
};

/* Opens what was a regular file a moment ago and may be anything now: waits for nobody, follows no
   symlink; -errno, ENOENT when it is no regular file any more. */
int open_regular(int directory, const char *name, struct stat *info);
/* Looks at a name in a directory and follows no symlink; -errno when it cannot. With `overlay` it is
   in an overlay's upper layer, where device 0:0 means removed. */
int entry_at(int directory, const char *name, bool overlay, struct entry *entry);
/* Writes the entry to the host. */
void tell_entry(const struct entry *entry, const char *path);
/* A path that is absent or removed, and nothing else is known of it. */
void tell_missing(uint8_t type, const char *path);
