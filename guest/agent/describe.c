#define _GNU_SOURCE
#include "describe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "entry.h"
#include "tell.h"

#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* The folder a path is in and its last name there; -errno. A symlink on the way is no folder: what
   is found is at this very path. Takes the path apart. */
static int open_parent(char *path, const char **name) {
  int folder = open(*guest_root() ? guest_root() : "/", FOLDER);
  char *rest = path + 1;
  for (char *slash; folder >= 0 && (slash = strchr(rest, '/')); rest = slash + 1) {
    *slash = 0;
    int next = openat(folder, rest, FOLDER);
    int failure = errno;
    close(folder);
    errno = failure;
    folder = next;
  }
  *name = *rest ? rest : ".";
  return folder < 0 ? -errno : folder;
}

/* Absolute, without empty names and without "." and "..", or the root itself. */
static bool plain(const char *path) {
  if (path[0] != '/') return false;
  if (path[1] == 0) return true;
  while (*path) {
    const char *name = path + 1;
    size_t length = strcspn(name, "/");
    bool dots = length <= 2 && strspn(name, ".") >= length;
    if (dots) return false; /* and empty ones */
    path = name + length;
  }
  return true;
}

static bool is_absence(int failure) { return failure == ENOENT || failure == ENOTDIR || failure == ENAMETOOLONG; }

static int describe(char *path) {
  static struct entry entry;
  static char parts[MAX_PATH];
  const char *name;
  format(parts, sizeof parts, "%s", path);
  int folder = open_parent(parts, &name);
  int found = folder < 0 ? folder : entry_at(folder, name, false, &entry);
  if (folder >= 0) close(folder);
  if (found < 0 && !is_absence(-found))
    return complain(E_STEP_FAILED, "%s at %.200s", strerror(-found), path);
  if (found < 0)
    tell_missing(ENTRY_ABSENT, path);
  else
    tell_entry(&entry, path);
  return 0;
}

/* Whether all the bytes came; `*ended` when the input ended before the first. */
static bool read_exactly(uint8_t *buffer, size_t length, bool *ended) {
  size_t total = 0;
  while (total < length) {
    ssize_t got = read(STDIN_FILENO, buffer + total, length - total);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    total += (size_t)got;
  }
  *ended = total == 0;
  return total == length;
}

int describe_paths(void) {
  for (;;) {
    uint8_t prefix[4], bytes[MAX_PATH];
    char path[MAX_PATH];
    bool ended;
    if (!read_exactly(prefix, sizeof prefix, &ended)) return ended ? 0 : complain(E_MALFORMED, "a torn path");
    struct reader in = reader_of(prefix, sizeof prefix);
    uint32_t length = get_u32(&in);
    bool whole = length < sizeof bytes && read_exactly(bytes, length, &ended);
    if (!whole || !slice_text((struct slice){bytes, length}, path, sizeof path) || !plain(path))
      return complain(E_MALFORMED, "a path that is too long, not absolute or not plain");
    int code = describe(path);
    if (code != 0) return code;
  }
}

static int tell_content(int fd, uint64_t most) {
  static uint8_t buffer[CHUNK];
  uint64_t total = 0;
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return complain(E_STEP_FAILED, "%s", strerror(errno));
    total += (uint64_t)got;
    if (total > most) return complain(E_REFUSED, "it has more than %" PRIu64 " bytes", most);
    tell(buffer, (size_t)got);
  }
  return 0;
}

int read_whole_file(const char *path, uint64_t most) {
  static char parts[MAX_PATH];
  struct stat info;
  const char *name;
  if (!plain(path)) return complain(E_MALFORMED, "the path is not absolute or not plain");
  format(parts, sizeof parts, "%s", path);
  int folder = open_parent(parts, &name);
  int fd = folder < 0 ? folder : fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
  if (fd == 0 && !S_ISREG(info.st_mode)) return complain(E_REFUSED, "it is not a regular file");
  if (fd == 0) fd = open_regular(folder, name, &info);
  if (fd < 0 && is_absence(-fd)) return complain(E_REFUSED, "it does not exist");
  if (fd < 0) return complain(E_STEP_FAILED, "%s", strerror(-fd));
  if ((uint64_t)info.st_size > most)
    return complain(E_REFUSED, "it has %" PRIu64 " bytes, more than %" PRIu64, (uint64_t)info.st_size, most);
  return tell_content(fd, most);
}
