/* The one network interface every program expects. */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot_parts.h"

void loopback_up(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq request = {.ifr_name = "lo"};
  if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0) {
    say("no loopback interface: %s", strerror(errno));
  } else {
    request.ifr_flags |= IFF_UP | IFF_RUNNING;
    if (ioctl(fd, SIOCSIFFLAGS, &request) < 0) say("cannot bring lo up: %s", strerror(errno));
  }
  if (fd >= 0) close(fd);
}
