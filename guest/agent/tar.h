/* The header block of a tar archive, as POSIX.1-2001 lays it out. */
#pragma once

#include "agent.h"

#define TAR_BLOCK 512u

enum tar_type {
  TAR_FILE = '0',
  TAR_OLD_FILE = 0,
  TAR_HARD_LINK = '1',
  TAR_SYMLINK = '2',
  TAR_CHAR_DEVICE = '3',
  TAR_BLOCK_DEVICE = '4',
  TAR_FOLDER = '5',
  TAR_FIFO = '6',
  TAR_CONTIGUOUS_FILE = '7',
  TAR_PAX = 'x',
  TAR_PAX_GLOBAL = 'g',
  TAR_GNU_LONG_NAME = 'L',
  TAR_GNU_LONG_LINK = 'K',
  TAR_GNU_VOLUME = 'V',
};

struct tar_header {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6];
  char version[2];
  char user[32];
  char group[32];
  char major[8];
  char minor[8];
  char prefix[155];
  char padding[12];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a header is one block");

/* The sum over a header with blanks in place of its checksum. */
uint32_t tar_checksum(const struct tar_header *header);
