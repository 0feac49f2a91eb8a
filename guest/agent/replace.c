/* Files that are replaced whole or not at all: new content has a name of its own until all of it is there. */
#define _GNU_SOURCE
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "random.h"

#define MOST_LINKS 40

bool is_temporary(const char *name) { return strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0; }

/* Where a path leads when it ends in symlinks, be there something or not. */
static bool follow(char path[MAX_PATH]) {
  char target[MAX_PATH], joined[2 * MAX_PATH];
  for (int i = 0; i < MOST_LINKS; i++) {
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return errno == EINVAL || errno == ENOENT;
    target[length] = 0;
    int above = target[0] == '/' ? 0 : (int)(strrchr(path, '/') - path) + 1;
    if (!format(joined, sizeof joined, "%.*s%s", above, path, target) || strlen(joined) >= MAX_PATH) return false;
    memcpy(path, joined, strlen(joined) + 1);
  }
  return false;
}

/* The folder that a path is in, and its name there. */
static bool split(struct replacement *new, char path[MAX_PATH]) {
  char *slash = strrchr(path, '/');
  if (!format(new->name, sizeof new->name, "%s", slash + 1) || !new->name[0] || is_dots(new->name)) return false;
  slash[1] = 0;
  new->folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return new->folder >= 0;
}

/* A process that removes the temporary file when this one is gone, however it ends. It is in no group that is
   killed with us, and holds nothing that anybody waits for the end of. */
static bool leave_it_to_a_sweeper(const struct replacement *new) {
  int ours[2];
  if (pipe2(ours, O_CLOEXEC) < 0) return false;
  pid_t pid = fork();
  if (pid == 0) {
    char nothing;
    setpgid(0, 0);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) close(fd);
    close(ours[1]);
    while (read(ours[0], &nothing, 1) < 0 && errno == EINTR) continue;
    unlinkat(new->folder, new->temporary, 0);
    _exit(0);
  }
  if (pid > 0) setpgid(pid, pid); /* before there is something to sweep, as the child may come to it late */
  close(ours[0]);
  if (pid < 0) close(ours[1]);
  return pid > 0;
}

static int make_temporary(struct replacement *new) {
  uint64_t number;
  if (random_draw((uint8_t *)&number, sizeof number) < 0) return errno;
  format(new->temporary, sizeof new->temporary, TEMPORARY "%016llx", (unsigned long long)number);
  if (!leave_it_to_a_sweeper(new)) return EAGAIN;
  new->fd = openat(new->folder, new->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  return new->fd < 0 ? errno : 0;
}

/* What is there already goes on as it was but for its content. */
static int take_after(const struct replacement *new) {
  struct stat info;
  int old = openat(new->folder, new->name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (old < 0 || fstat(old, &info) < 0) return errno;
  copy_attributes(old, new->fd);
  close(old);
  if (fchown(new->fd, info.st_uid, info.st_gid) < 0 || fchmod(new->fd, info.st_mode & 07777) < 0) return errno;
  return 0;
}

int replacement_begin(struct replacement *new, const char *path) {
  char real[MAX_PATH];
  struct stat info;
  *new = (struct replacement){.folder = -1, .fd = -1};
  if (!format(real, sizeof real, "%s", path) || !follow(real) || !split(new, real)) return EINVAL;
  bool there = fstatat(new->folder, new->name, &info, AT_SYMLINK_NOFOLLOW) == 0;
  new->made = !there && errno == ENOENT;
  /* Of a file with several names all are to have the new content. */
  if (!new->made && (!there || !S_ISREG(info.st_mode) || info.st_nlink > 1)) return EINVAL;
  int failure = make_temporary(new);
  if (!failure && !new->made) failure = take_after(new);
  if (failure) replacement_drop(new);
  return failure;
}

void replacement_drop(struct replacement *new) {
  if (new->fd >= 0) close(new->fd), unlinkat(new->folder, new->temporary, 0);
  new->fd = -1;
}

/* Watchers hear of a write, as they would of one in place. */
static void announce(const struct replacement *new) {
  int fd = openat(new->folder, new->name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1);
  close(fd);
}

/* A file that is mounted where it is keeps its name, and gets the content. */
static int pour(const struct replacement *new, const struct stat *info) {
  int fd = openat(new->folder, new->name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  int failure = copy_content(new->fd, fd, info);
  return close(fd) < 0 && !failure ? errno : failure;
}

static int put_in_place(const struct replacement *new, const struct stat *info) {
  int folder = new->folder;
  if (new->made && linkat(folder, new->temporary, folder, new->name, 0) == 0) return 0;
  if (renameat(folder, new->temporary, folder, new->name) == 0) return 0;
  return errno == EBUSY ? pour(new, info) : errno;
}

int replacement_finish(struct replacement *new) {
  struct stat info;
  int failure = fstat(new->fd, &info) < 0 ? errno : put_in_place(new, &info);
  bool written = !new->made || info.st_size > 0;
  replacement_drop(new);
  if (!failure && written) announce(new);
  return failure;
}
