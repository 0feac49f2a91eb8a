#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "replace.h"
#include "tell.h"

#define PIECE 65536u
enum { WRITE_APPEND = 1 };
#define DEFAULT_MODE UINT32_MAX

static uint8_t piece[PIECE];

/* As much as there is, up to `most`; -1 with errno. */
static ssize_t read_some(int fd, size_t most) {
  size_t total = 0;
  while (total < most) {
    ssize_t got = read(fd, piece + total, most - total);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    total += (size_t)got;
  }
  return (ssize_t)total;
}

void tell_length(uint64_t length) {
  uint8_t bytes[8];
  struct writer header = writer_on(bytes, sizeof bytes);
  put_u64(&header, length);
  tell(bytes, sizeof bytes);
}

static size_t at_most(uint64_t length) { return length < PIECE ? (size_t)length : PIECE; }

/* Passes on `left` bytes, or what there is of them when it need not be all; 0 or a code. */
static int tell_rest(int fd, uint64_t left, bool exact, const char *path) {
  while (left > 0) {
    ssize_t got = exact ? read_some(fd, at_most(left)) : read(fd, piece, at_most(left));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failed(errno, path);
    if (got == 0) return exact ? complain(E_STEP_FAILED, "it became shorter while it was read: %s", path) : 0;
    tell(piece, (size_t)got);
    if (!exact) tell_flush();
    left -= (uint64_t)got;
  }
  return 0;
}

/* Files of /proc and /sys lie about their size, so a short one is told by what was read of it. */
static int tell_regular(int fd, uint64_t size, uint64_t offset, uint64_t wanted, const char *path) {
  if (offset > INT64_MAX || lseek(fd, (off_t)offset, SEEK_SET) < 0) return file_failed(EINVAL, path);
  size_t first = at_most(wanted);
  ssize_t got = read_some(fd, first);
  if (got < 0) return file_failed(errno, path);
  bool all = (size_t)got < first || wanted == first;
  uint64_t left = offset < size ? size - offset : 0;
  bool known = all || left >= (uint64_t)got;
  uint64_t length = all ? (uint64_t)got : left < wanted ? left : wanted;
  tell_length(known ? length : UNKNOWN_LENGTH);
  tell(piece, (size_t)got);
  return tell_rest(fd, (known ? length : wanted) - (uint64_t)got, known, path);
}

int file_read(const struct request *request, uint64_t offset, uint64_t length) {
  const char *path = request->path;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) < 0) return file_failed(errno, path);
  if (S_ISDIR(info.st_mode)) return file_failed(EISDIR, path);
  if (S_ISREG(info.st_mode)) return tell_regular(fd, (uint64_t)info.st_size, offset, length, path);
  if (!S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode))
    return complain(E_UNFIT, "it is neither a file nor a device: %s", path);
  fcntl(fd, F_SETFL, 0); /* blocking */
  if (offset > 0 && lseek(fd, (off_t)offset, SEEK_SET) < 0) return file_failed(errno, path);
  tell_length(UNKNOWN_LENGTH);
  return tell_rest(fd, length, false, path);
}

/* The file, made if it is not there; -1 with errno. */
static int open_for_writing(const char *path, bool append, bool *made) {
  int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (append ? O_APPEND : 0);
  *made = false;
  int fd = open(path, flags);
  if (fd >= 0 || errno != ENOENT) return fd;
  *made = true; /* or a symlink that led nowhere did */
  return open(path, flags | O_CREAT, 0600);
}

/* Owner, mode and what is stored with it, before its content comes; 0 or an errno. */
static int dress(const struct request *request, int fd, bool made, bool append, struct reader in) {
  uint32_t mode = get_u32(&in);
  struct reader count = in;
  bool metadata = get_u16(&count) > 0 || !append;
  struct stat info;
  if (fstat(fd, &info) < 0) return errno;
  if (made && fchown(fd, request->owner.uid, request->owner.gid) < 0) return errno;
  if (made && fchmod(fd, mode == DEFAULT_MODE ? 0644 : mode & 07777) < 0) return errno;
  if (!S_ISREG(info.st_mode)) return 0;
  int failure = metadata ? store_metadata(fd, in) : 0;
  if (!failure && !append && ftruncate(fd, 0) < 0) failure = errno;
  return failure;
}

/* 0 or an errno. */
static int take_content(int fd) {
  for (ssize_t got; (got = read(STDIN_FILENO, piece, sizeof piece)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    int failure = got < 0 ? errno : write_all(fd, piece, (size_t)got);
    if (failure) return failure;
  }
  return 0;
}

/* Content that never comes whole leaves what was there; 0 or an errno. */
static int write_aside(const struct request *request, struct replacement *new, struct reader in) {
  int failure = dress(request, new->fd, new->made, false, in);
  if (!failure) failure = take_content(new->fd);
  if (!failure) return replacement_finish(new);
  replacement_drop(new);
  return failure;
}

/* What is added to, and what cannot be replaced: devices, pipes, files of the kernel. 0 or an errno. */
static int write_in_place(const struct request *request, bool append, struct reader in) {
  bool made;
  int fd = open_for_writing(request->path, append, &made);
  if (fd < 0) return errno;
  int failure = dress(request, fd, made, append, in);
  if (failure && made) unlink(request->path);
  if (failure) return failure;
  fcntl(fd, F_SETFL, append ? O_APPEND : 0); /* blocking */
  failure = take_content(fd);
  return close(fd) < 0 && !failure ? errno : failure;
}

int file_write(const struct request *request) {
  const char *path = request->path;
  struct replacement new;
  struct reader in = request->rest;
  bool append = get_u8(&in) & WRITE_APPEND;
  int code = make_parents(request, path);
  if (code) return code;
  int failure = append ? EINVAL : replacement_begin(&new, path);
  bool full = failure == ENOSPC || failure == EDQUOT;
  if (!failure)
    failure = write_aside(request, &new, in);
  else if (!full)
    failure = write_in_place(request, append, in);
  return failure ? file_failed(failure, path) : tell_file(path);
}
