#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "owners.h"
#include "tell.h"

int make_owned_folder(const struct request *request, const char *path) {
  if (mkdir(path, 0755) < 0) return errno;
  return chown(path, request->owner.uid, request->owner.gid) < 0 ? errno : 0;
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int make_parents(const struct request *request, const char *path) {
  static char above[MAX_PATH];
  format(above, sizeof above, "%s", path);
  for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    int failure = is_folder(above) ? 0 : make_owned_folder(request, above);
    if (failure == EEXIST) failure = is_folder(above) ? 0 : ENOTDIR;
    if (failure) return file_failed(failure, above);
    *slash = '/';
  }
  return 0;
}

int file_make_folder(const struct request *request) {
  int code = make_parents(request, request->path);
  int failure = code ? 0 : make_owned_folder(request, request->path);
  if (code || failure) return code ? code : file_failed(failure, request->path);
  return tell_file(request->path);
}

/* Whether another file system begins here: such a folder can be emptied, but neither moved nor removed. */
static bool is_mount_point(const char *path) {
  static char above[MAX_PATH];
  struct stat here, there;
  bool known = format(above, sizeof above, "%.*s/", (int)(strrchr(path, '/') - path), path) &&
               lstat(path, &here) == 0 && stat(above, &there) == 0;
  return known && S_ISDIR(here.st_mode) && here.st_dev != there.st_dev;
}

/* Whether a folder lies in another, or is it, by whatever links their paths lead over. */
static bool lies_in(const char *folder, const char *other) {
  static char real[PATH_MAX], real_other[PATH_MAX];
  if (!realpath(folder, real) || !realpath(other, real_other)) return false;
  size_t length = strlen(real_other);
  return strncmp(real, real_other, length) == 0 && (real[length] == '/' || !real[length]);
}

/* Copies over file systems: aside and renamed, so that what is at the target is replaced whole or
   stays as it is. 0 or an errno. */
static int move_copy(const char *from, const struct stat *info, const char *to) {
  static char aside[MAX_PATH];
  int above = (int)(strrchr(to, '/') - to);
  if (!format(aside, sizeof aside, "%.*s/", above, to)) return ENAMETOOLONG;
  if (is_mount_point(from)) return EBUSY;
  if (S_ISDIR(info->st_mode) && lies_in(aside, from)) return EINVAL;
  if (!format(aside, sizeof aside, "%.*s/.forkd-move-%d", above, to, (int)getpid())) return ENAMETOOLONG;
  int failure = copy_tree(AT_FDCWD, from, AT_FDCWD, aside);
  if (!failure && rename(aside, to) < 0) failure = errno;
  if (failure) remove_tree(AT_FDCWD, aside);
  return failure ? failure : remove_tree(AT_FDCWD, from);
}

int file_move(const struct request *request) {
  struct stat info;
  if (lstat(request->path, &info) < 0) return file_failed(errno, request->path);
  int code = make_parents(request, request->target);
  if (code) return code;
  int failure = rename(request->path, request->target) < 0 ? errno : 0;
  if (failure == EXDEV) failure = move_copy(request->path, &info, request->target);
  return failure ? file_failed(failure, request->target) : tell_file(request->target);
}

static int remove_all_in(int fd) {
  DIR *folder = fdopendir(fd);
  if (!folder) return close(fd), errno;
  int failure = 0;
  for (const struct dirent *item; !failure && (item = readdir(folder));)
    if (!is_dots(item->d_name)) failure = remove_tree(fd, item->d_name);
  closedir(folder);
  return failure;
}

int remove_tree(int folder, const char *name) {
  if (unlinkat(folder, name, 0) == 0 || errno == ENOENT || errno == ENOTDIR) return 0;
  if (errno != EISDIR && errno != EPERM) return errno;
  int failure = errno;
  int fd = open_folder(folder, name);
  if (fd < 0) return errno == ENOENT ? 0 : errno == ENOTDIR || errno == ELOOP ? failure : errno;
  failure = remove_all_in(fd);
  if (!failure && unlinkat(folder, name, AT_REMOVEDIR) < 0 && errno != ENOENT) failure = errno;
  return failure;
}

int file_remove(const struct request *request) {
  if (strcmp(request->path, "/") == 0) return complain(E_UNFIT, "the root folder cannot be removed");
  int failure = is_mount_point(request->path) ? EBUSY : remove_tree(AT_FDCWD, request->path);
  return failure ? file_failed(failure, request->path) : 0;
}

enum { CHANGE_MODE = 1, CHANGE_OWNER = 2, CHANGE_GROUP = 4, CHANGE_ALL_BELOW = 8 };

struct change {
  uint8_t what;
  mode_t mode;
  uid_t uid;
  gid_t gid;
};

/* The owner first, which takes the setuid bit away. A link's own mode cannot be changed. */
static int change_one(int folder, const char *name, const struct change *change, bool follow) {
  int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
  struct stat info;
  if (fstatat(folder, name, &info, flags) < 0) return errno;
  bool owned = change->what & (CHANGE_OWNER | CHANGE_GROUP);
  if (owned && fchownat(folder, name, change->uid, change->gid, flags) < 0) return errno;
  if (!(change->what & CHANGE_MODE) || S_ISLNK(info.st_mode)) return 0;
  return fchmodat(folder, name, change->mode, 0) < 0 ? errno : 0;
}

static int change_all_in(int fd, const struct change *change) {
  DIR *folder = fdopendir(fd);
  if (!folder) return close(fd), errno;
  int failure = 0;
  for (const struct dirent *item; !failure && (item = readdir(folder));) {
    if (is_dots(item->d_name)) continue;
    failure = change_one(fd, item->d_name, change, false);
    int below = failure ? -1 : open_folder(fd, item->d_name);
    if (below >= 0) failure = change_all_in(below, change);
    if (failure == ENOENT) failure = 0; /* it vanished meanwhile */
  }
  closedir(folder);
  return failure;
}

static int read_change(const struct request *request, struct change *change) {
  struct reader in = request->rest;
  char owner[256], group[256];
  change->what = get_u8(&in);
  change->mode = get_u32(&in) & 07777;
  change->uid = (uid_t)-1;
  change->gid = (gid_t)-1;
  if (!slice_text(get_bytes(&in), owner, sizeof owner) || !slice_text(get_bytes(&in), group, sizeof group))
    return complain(E_NO_SUCH_USER, "such a long name has neither user nor group");
  if ((change->what & CHANGE_OWNER) && !user_number(owner, &change->uid))
    return complain(E_NO_SUCH_USER, "there is no user '%s' in this guest", owner);
  if ((change->what & CHANGE_GROUP) && !group_number(group, &change->gid))
    return complain(E_NO_SUCH_USER, "there is no group '%s' in this guest", group);
  return 0;
}

int file_change(const struct request *request) {
  struct change change;
  int code = read_change(request, &change);
  if (code) return code;
  int failure = change_one(AT_FDCWD, request->path, &change, true);
  int fd = -1;
  if (!failure && (change.what & CHANGE_ALL_BELOW)) fd = open(request->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) failure = change_all_in(fd, &change);
  return failure ? file_failed(failure, request->path) : tell_file(request->path);
}
