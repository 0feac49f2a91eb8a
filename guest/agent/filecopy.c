/* Copies of files and trees, for moves between file systems. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "files.h"

void copy_attributes(int from, int to) {
  char names[16384];
  static uint8_t value[65536];
  ssize_t length = flistxattr(from, names, sizeof names);
  for (const char *name = names; length > 0 && name < names + length; name += strlen(name) + 1) {
    ssize_t size = fgetxattr(from, name, value, sizeof value);
    if (size >= 0 && fsetxattr(to, name, value, (size_t)size, 0) < 0) continue;
  }
}

/* Owner before mode: changing it takes the setuid bit away. */
static int copy_status(int from, int to, const struct stat *info) {
  struct timespec times[2] = {info->st_atim, info->st_mtim};
  copy_attributes(from, to);
  if (fchown(to, info->st_uid, info->st_gid) < 0 || fchmod(to, info->st_mode & 07777) < 0) return errno;
  return futimens(to, times) < 0 ? errno : 0;
}

int copy_content(int from, int to, const struct stat *info) {
  static uint8_t buffer[65536];
  off_t at = 0;
  while (at < info->st_size) { /* holes stay holes */
    off_t data = lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;
    if (data > at) at = data;
    ssize_t got = pread(from, buffer, sizeof buffer, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    if (lseek(to, at, SEEK_SET) < 0) return errno;
    int failure = write_all(to, buffer, (size_t)got);
    if (failure) return failure;
    at += got;
  }
  if (ftruncate(to, info->st_size > at ? info->st_size : at) < 0) return errno;
  return copy_status(from, to, info);
}

static int copy_file(int from_folder, const char *from, int to_folder, const char *to, const struct stat *info) {
  int in = openat(from_folder, from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (in < 0) return errno;
  int out = openat(to_folder, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int failure = out < 0 ? errno : copy_content(in, out, info);
  if (out >= 0) close(out);
  close(in);
  return failure;
}

static int copy_all_in(int from, int to) {
  DIR *folder = fdopendir(from);
  if (!folder) return errno;
  int failure = 0;
  for (const struct dirent *item; !failure && (item = readdir(folder));)
    if (!is_dots(item->d_name)) failure = copy_tree(from, item->d_name, to, item->d_name);
  closedir(folder);
  return failure;
}

static int copy_folder(int from_folder, const char *from, int to_folder, const char *to, const struct stat *info) {
  int in = open_folder(from_folder, from);
  if (in < 0) return errno;
  int again = fcntl(in, F_DUPFD_CLOEXEC, 0); /* the walk closes its own */
  int out = mkdirat(to_folder, to, 0700) < 0 ? -1 : open_folder(to_folder, to);
  int failure = again < 0 || out < 0 ? errno : copy_all_in(again, out);
  if (!failure) failure = copy_status(in, out, info);
  if (out >= 0) close(out);
  close(in);
  return failure;
}

/* A symlink, or a device, pipe or socket. */
static int copy_other(int from_folder, const char *from, int to_folder, const char *to, const struct stat *info) {
  char target[MAX_PATH];
  if (S_ISLNK(info->st_mode)) {
    ssize_t length = readlinkat(from_folder, from, target, sizeof target - 1);
    if (length < 0) return errno;
    target[length] = 0;
    if (symlinkat(target, to_folder, to) < 0) return errno;
  } else if (mknodat(to_folder, to, info->st_mode, info->st_rdev) < 0) {
    return errno;
  }
  struct timespec times[2] = {info->st_atim, info->st_mtim};
  if (fchownat(to_folder, to, info->st_uid, info->st_gid, AT_SYMLINK_NOFOLLOW) < 0) return errno;
  return utimensat(to_folder, to, times, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
}

int copy_tree(int from_folder, const char *from, int to_folder, const char *to) {
  struct stat info;
  if (fstatat(from_folder, from, &info, AT_SYMLINK_NOFOLLOW) < 0) return errno;
  if (S_ISREG(info.st_mode)) return copy_file(from_folder, from, to_folder, to, &info);
  if (S_ISDIR(info.st_mode)) return copy_folder(from_folder, from, to_folder, to, &info);
  return copy_other(from_folder, from, to_folder, to, &info);
}
