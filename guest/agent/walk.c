#define _GNU_SOURCE
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "entry.h"
#include "mounts.h"
#include "tell.h"

static char path[MAX_PATH]; /* where the walk is, as the guest sees it; empty at the root */
static size_t path_length;
static bool in_upper; /* the walk is in the overlay's upper layer */

/* Goes to a name in the current folder; false when no path can be that long. */
static bool enter(const char *name) {
  size_t length = strlen(name);
  if (length + 1 >= sizeof path - path_length) return false;
  path[path_length] = '/';
  memcpy(path + path_length + 1, name, length + 1);
  path_length += length + 1;
  return true;
}

static void leave(size_t length) {
  path_length = length;
  path[length] = 0;
}

static int open_directory(int at, const char *name) {
  return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Things vanish and turn into others under a walk; a lack of descriptors or memory is no such case. */
static int failed(int failure) {
  bool vanished = failure == ENOENT || failure == ENOTDIR || failure == ELOOP;
  return vanished ? 0 : complain(E_STEP_FAILED, "%s at %.200s", strerror(failure), path);
}

/* Opens a directory where there may be none, or where `at` itself is none: -1 then. */
static int open_if_there(int at, const char *name, int *directory) {
  *directory = at < 0 ? -1 : open_directory(at, name);
  return at < 0 || *directory >= 0 ? 0 : failed(errno);
}

/* What happens to a name of a directory; `other` is the directory of the same path in another layer, or -1. */
typedef int visit(int directory, const char *name, int other);

/* Visits every name of a directory; owns both descriptors. */
static int each_name(int directory, int other, visit *visitor) {
  DIR *names = fdopendir(directory);
  int code = names ? 0 : failed(errno);
  size_t length = path_length;
  for (struct dirent *name; names && code == 0 && (name = readdir(names));) {
    if (strcmp(name->d_name, ".") == 0 || strcmp(name->d_name, "..") == 0) continue;
    code = enter(name->d_name) ? visitor(directory, name->d_name, other)
                               : complain(E_STEP_FAILED, "too long a path below %.200s", path);
    leave(length);
  }
  if (names) closedir(names);
  if (!names) close(directory);
  if (other >= 0) close(other);
  return code;
}

/* Names what the image has and the upper layer, of which `upper` is the same directory, hides. */
static int visit_hidden(int lower, const char *name, int upper) {
  struct stat info;
  bool replaced = upper >= 0 && fstatat(upper, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (!replaced) tell_missing(ENTRY_REMOVED, path);
  int below, above;
  int code = open_if_there(lower, name, &below);
  if (code != 0 || below < 0) return code;
  code = open_if_there(replaced ? upper : -1, name, &above);
  return code != 0 ? code : each_name(below, above, visit_hidden);
}

static bool is_opaque(int directory) {
  char value;
  const char *attribute = config.init ? "trusted.overlay.opaque" : "user.overlay.opaque";
  return in_upper && fgetxattr(directory, attribute, &value, 1) == 1 && value == 'y';
}

static int visit_entry(int directory, const char *name, int lower);

static int visit_directory(int directory, const char *name, int lower, struct entry *entry) {
  int below, under, again;
  int code = open_if_there(directory, name, &below);
  if (code != 0 || below < 0) return code;
  bool opaque = entry->opaque = is_opaque(below);
  tell_entry(entry, path);
  code = open_if_there(lower, name, &under);
  if (code == 0) code = each_name(below, opaque ? -1 : under, visit_entry);
  if (code != 0 || !opaque || under < 0) return code;
  code = open_if_there(directory, name, &again);
  return code != 0 ? code : each_name(under, again, visit_hidden);
}

static int visit_entry(int directory, const char *name, int lower) {
  static struct entry entry; /* too large for a stack as deep as a path can be */
  if (is_mount_point(path)) return 0;
  int found = entry_at(directory, name, in_upper, &entry), hidden;
  if (found < 0) return failed(-found);
  if (entry.type == ENTRY_DIRECTORY) return visit_directory(directory, name, lower, &entry);
  tell_entry(&entry, path);
  int code = open_if_there(lower, name, &hidden);
  return code != 0 || hidden < 0 ? code : each_name(hidden, -1, visit_hidden);
}

/* A file system from its root on; owns the descriptors. */
static int walk_from(int top, int lower) {
  static struct entry entry;
  int found = top < 0 ? -errno : entry_at(top, ".", false, &entry);
  if (found < 0) return failed(-found);
  tell_entry(&entry, path_length > 0 ? path : "/");
  return each_name(top, lower, visit_entry);
}

static int walk_root(bool everything) {
  leave(0);
  in_upper = !everything;
  if (everything) return walk_from(open_directory(AT_FDCWD, *guest_root() ? guest_root() : "/"), -1);
  if (config.upper < 0) return complain(E_STEP_FAILED, "this guest has no overlay whose changes could be told");
  return walk_from(open_directory(config.upper, "."), open_directory(config.lower, "."));
}

int walk_files(bool everything) {
  int mounts = mounts_read();
  if (mounts < 0) return complain(E_STEP_FAILED, "cannot read the mounts: %s", strerror(-mounts));
  int code = walk_root(everything);
  in_upper = false;
  for (int i = 0; code == 0 && i < mounts; i++) {
    const struct mount *mount = mount_at_index(i);
    if (!mount->tmpfs || !enter(mount->path + 1)) continue;
    char full[2 * MAX_PATH];
    format(full, sizeof full, "%s%s", guest_root(), mount->path);
    code = walk_from(open_directory(AT_FDCWD, full), -1);
    leave(0);
  }
  return code;
}
