#define _GNU_SOURCE
#include "tarname.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As in linux/openat2.h, which a libc's own headers need not have. */
#define STAY_BENEATH 0x08u
#define NO_MAGIC_LINKS 0x02u
struct how {
  uint64_t flags, mode, resolve;
};

int open_beneath(int folder, const char *name) {
  struct how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = STAY_BENEATH | NO_MAGIC_LINKS};
  return (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
}

bool tar_clean(char *name) {
  if (*name == '/') return false;
  char *out = name;
  for (const char *at = name; *at;) {
    size_t length = strcspn(at, "/");
    if (length == 2 && at[0] == '.' && at[1] == '.') return false;
    if (length > 0 && !(length == 1 && *at == '.')) {
      if (out > name) *out++ = '/';
      memmove(out, at, length);
      out += length;
    }
    at += length;
    while (*at == '/') at++;
  }
  *out = 0;
  return true;
}

int tar_parent(int target, char *name, int (*make)(int folder, const char *name), const char **last) {
  int folder = open_beneath(target, ".");
  *last = name;
  for (char *slash = strchr(name, '/'); folder >= 0 && slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    int next = open_beneath(target, name);
    if (next < 0 && errno == ENOENT) {
      int failure = make(folder, *last);
      next = failure && failure != EEXIST ? (errno = failure, -1) : open_beneath(target, name);
      if (next < 0 && failure == EEXIST && errno == ENOENT) errno = EXDEV; /* a link that leads nowhere */
    }
    close(folder);
    folder = next;
    *slash = '/';
    *last = slash + 1;
  }
  return folder;
}
