#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "owners.h"
#include "tell.h"

enum { TYPE_FILE = 1, TYPE_FOLDER = 2, TYPE_SYMLINK = 3, TYPE_OTHER = 4 };

static uint8_t type_of(mode_t mode) {
  return S_ISREG(mode) ? TYPE_FILE : S_ISDIR(mode) ? TYPE_FOLDER : S_ISLNK(mode) ? TYPE_SYMLINK : TYPE_OTHER;
}

static void tell_one(const char *path, const struct stat *info, const char *link) {
  static uint8_t buffer[MAX_PAYLOAD];
  struct writer record = writer_on(buffer, sizeof buffer);
  put_u8(&record, type_of(info->st_mode));
  put_u64(&record, S_ISREG(info->st_mode) ? (uint64_t)info->st_size : 0);
  put_u16(&record, (uint16_t)(info->st_mode & 07777));
  put_u32(&record, info->st_uid);
  put_u32(&record, info->st_gid);
  put_text(&record, user_name(info->st_uid));
  put_text(&record, group_name(info->st_gid));
  put_u64(&record, (uint64_t)((int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec));
  put_text(&record, path);
  put_text(&record, link);
  put_metadata(&record, path, info->st_mode);
  tell_record(&record);
}

/* Tells what has this name in a folder; 0 or an errno. */
static int look(int folder, const char *name, const char *path, struct stat *info) {
  static char link[MAX_PATH];
  if (fstatat(folder, name, info, AT_SYMLINK_NOFOLLOW) < 0) return errno;
  ssize_t length = 0;
  if (S_ISLNK(info->st_mode)) length = readlinkat(folder, name, link, sizeof link - 1);
  if (length < 0) return errno;
  link[length] = 0;
  tell_one(path, info, link);
  return 0;
}

int tell_file(const char *path) {
  struct stat info;
  int failure = look(AT_FDCWD, path, path, &info);
  return failure ? file_failed(failure, path) : 0;
}

int file_stat(const struct request *request) { return tell_file(request->path); }

int open_folder(int folder, const char *name) {
  return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Goes through the folder that `path` names and owns `fd`; what vanishes meanwhile is left out. */
static int list(int fd, char path[MAX_PATH], uint32_t depth) {
  DIR *folder = fdopendir(fd);
  if (!folder) return close(fd), file_failed(errno, path);
  size_t end = strlen(path);
  if (end == 1) end = 0; /* of the root */
  int code = 0;
  for (const struct dirent *item; code == 0 && (item = readdir(folder));) {
    if (is_dots(item->d_name)) continue;
    struct stat info;
    if (!format(path + end, MAX_PATH - end, "/%s", item->d_name)) {
      code = file_failed(ENAMETOOLONG, path);
      break;
    }
    int failure = look(fd, item->d_name, path, &info);
    if (failure && failure != ENOENT) code = file_failed(failure, path);
    if (failure || code || depth <= 1 || !S_ISDIR(info.st_mode)) continue;
    int below = open_folder(fd, item->d_name);
    if (below >= 0)
      code = list(below, path, depth - 1);
    else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
      code = file_failed(errno, path);
  }
  path[end > 0 ? end : 1] = 0;
  closedir(folder);
  return code;
}

int file_list(const struct request *request, uint32_t depth) {
  static char path[MAX_PATH];
  memcpy(path, request->path, sizeof path);
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? file_failed(errno, path) : list(fd, path, depth);
}
