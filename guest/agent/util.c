/* Clocks, logging and files in the few shapes the agent needs. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct config config;

const char *guest_root(void) { return config.identity_root ? config.identity_root : ""; }

/* Out of the way of the descriptors that children get. */
static int keep(const char *folder) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int kept = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10);
  if (fd >= 0) close(fd);
  return kept;
}

int keep_layers(const char *upper, const char *lower) {
  config.upper = keep(upper);
  config.lower = config.upper < 0 ? -1 : keep(lower);
  if (config.lower >= 0) return 0;
  if (config.upper >= 0) close(config.upper);
  config.upper = -1;
  return -1;
}

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t wall_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void say(const char *pattern, ...) {
  char line[512];
  int prefix = snprintf(line, sizeof line, "forkd-agent: ");
  va_list args;
  va_start(args, pattern);
  int length = vsnprintf(line + prefix, sizeof line - (size_t)prefix - 1, pattern, args);
  va_end(args);
  size_t total = (size_t)prefix + (length < 0 ? 0 : (size_t)length);
  if (total > sizeof line - 2) total = sizeof line - 2;
  line[total++] = '\n';
  ssize_t ignored = write(STDERR_FILENO, line, total);
  (void)ignored;
}

bool format(char *buffer, size_t size, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  int length = vsnprintf(buffer, size, pattern, args);
  va_end(args);
  return length >= 0 && (size_t)length < size;
}

int set_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return -1;
  return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int make_dirs(const char *path, mode_t mode) {
  char partial[256];
  if (!format(partial, sizeof partial, "%s", path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  for (char *slash = strchr(partial + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(partial, 0755) < 0 && errno != EEXIST) return -1;
    *slash = '/';
  }
  return mkdir(partial, mode) < 0 && errno != EEXIST ? -1 : 0;
}

ssize_t read_text(const char *path, char *buffer, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  size_t total = 0;
  ssize_t got = 0;
  while (total < size - 1 && (got = read(fd, buffer + total, size - 1 - total)) > 0)
    total += (size_t)got;
  int failure = errno;
  close(fd);
  buffer[total] = 0;
  errno = failure;
  return got < 0 ? -1 : (ssize_t)total;
}

int write_text(const char *path, const char *text, size_t length, mode_t mode) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) return -1;
  while (length > 0) {
    ssize_t put = write(fd, text, length);
    if (put < 0) {
      int failure = errno;
      close(fd);
      errno = failure;
      return -1;
    }
    text += put;
    length -= (size_t)put;
  }
  return close(fd);
}
