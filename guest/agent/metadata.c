/* Names and values that are stored with a file, as extended attributes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "files.h"

#define PREFIX "trusted.forkd."
#define MOST 32
#define LONGEST_VALUE 4096
#define LONGEST_ATTRIBUTE 255
/* The names of all attributes that a file can have, by the kernel's own limit. */
static char names[65536];

static bool is_ours(const char *attribute) { return strncmp(attribute, PREFIX, strlen(PREFIX)) == 0; }

/* Of links and devices none are told: they cannot be given any. */
void put_metadata(struct writer *out, const char *path, mode_t mode) {
  static uint8_t value[LONGEST_VALUE];
  bool can = S_ISREG(mode) || S_ISDIR(mode);
  ssize_t length = can ? llistxattr(path, names, sizeof names) : -1;
  size_t count_at = out->length;
  uint16_t count = 0;
  put_u16(out, 0);
  for (const char *name = names; length > 0 && name < names + length && count < MOST; name += strlen(name) + 1) {
    if (!is_ours(name)) continue;
    ssize_t size = lgetxattr(path, name, value, sizeof value);
    const char *own = name + strlen(PREFIX);
    if (size < 0 || out->capacity - out->length < 8 + strlen(own) + (size_t)size) continue;
    put_text(out, own);
    put_bytes(out, value, (size_t)size);
    count++;
  }
  struct writer counted = writer_on(out->data + count_at, 2);
  put_u16(&counted, count);
}

bool metadata_fits(struct reader in) {
  uint16_t count = get_u16(&in);
  char name[LONGEST_ATTRIBUTE + 1 - sizeof PREFIX + 1];
  for (uint16_t i = 0; i < count && !in.bad; i++) {
    struct slice key = get_bytes(&in);
    if (in.bad || key.length == 0 || !slice_text(key, name, sizeof name)) return false;
    if (get_bytes(&in).length > LONGEST_VALUE) return false;
  }
  return count <= MOST && reader_done(&in);
}

static int forget_all(int fd) {
  ssize_t length = flistxattr(fd, names, sizeof names);
  if (length < 0) return errno == EOPNOTSUPP || errno == EPERM ? 0 : errno;
  for (const char *name = names; name < names + length; name += strlen(name) + 1)
    if (is_ours(name) && fremovexattr(fd, name) < 0) return errno;
  return 0;
}

int store_metadata(int fd, struct reader in) {
  int failure = forget_all(fd);
  for (uint16_t left = get_u16(&in); left > 0 && !failure; left--) {
    char key[LONGEST_ATTRIBUTE + 1], name[LONGEST_ATTRIBUTE + 1];
    slice_text(get_bytes(&in), key, sizeof key);
    struct slice value = get_bytes(&in);
    if (!format(name, sizeof name, PREFIX "%s", key)) return EINVAL;
    if (fsetxattr(fd, name, value.data, value.length, 0) < 0) failure = errno;
  }
  return failure;
}
