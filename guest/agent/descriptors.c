#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define APART 1024
#define ENOUGH 4096

static struct rlimit given, taken;

void descriptors_init(void) {
  if (getrlimit(RLIMIT_NOFILE, &given) < 0) return;
  taken = given;
  if (taken.rlim_cur < ENOUGH) taken.rlim_cur = taken.rlim_max < ENOUGH ? taken.rlim_max : ENOUGH;
  descriptors_as_given(false);
}

void descriptors_as_given(bool as_given) {
  if (taken.rlim_cur > given.rlim_cur && setrlimit(RLIMIT_NOFILE, as_given ? &given : &taken) < 0)
    taken = given;
}

int descriptor_apart(int fd) {
  if (fd < 0 || fd >= APART || taken.rlim_cur <= APART) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, APART);
  int failure = errno;
  close(fd);
  errno = failure;
  return moved;
}

void descriptors_allow_most(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}
