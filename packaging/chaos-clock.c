/* Preloaded into the daemon by chaos.py: shifts the wall clock by the seconds in a shared file, and leaves all other clocks alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long long *shift;

__attribute__((constructor)) static void open_shift(void) {
  const char *name = getenv("CHAOS_CLOCK");
  int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    void *map = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) shift = map;
    close(fd);
  }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME && shift) now->tv_sec += (time_t)*shift;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now) *now = precise.tv_sec;
  return precise.tv_sec;
}
