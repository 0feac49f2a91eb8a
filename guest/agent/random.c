#include "random.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

/* From linux/random.h, which a C library without kernel headers does not have. */
struct pool_entropy {
  int bits;
  int bytes;
  uint8_t data[64];
};
#define ADD_ENTROPY _IOW('R', 0x03, int[2])
#define RESEED_CRNG _IO('R', 0x07)

int random_reseed(const uint8_t *entropy, size_t length) {
  if (!config.init) return 0; /* a test on the host must not touch the host's pool */
  struct pool_entropy pool = {.bits = (int)length * 8, .bytes = (int)length};
  memcpy(pool.data, entropy, length);
  int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int result = ioctl(fd, ADD_ENTROPY, &pool) < 0 || ioctl(fd, RESEED_CRNG) < 0 ? -1 : 0;
  int failure = errno;
  close(fd);
  explicit_bzero(&pool, sizeof pool);
  errno = failure;
  return result;
}

int random_draw(uint8_t *buffer, size_t length) {
  return getrandom(buffer, length, GRND_NONBLOCK) == (ssize_t)length ? 0 : -1;
}

int random_uuid(char *uuid) {
  if (read_text("/proc/sys/kernel/random/uuid", uuid, 37) == 36) return 0;
  errno = EIO;
  return -1;
}
