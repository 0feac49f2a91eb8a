#define _GNU_SOURCE
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "descriptors.h"

int terminal_resize(int fd, uint16_t columns, uint16_t rows) {
  struct winsize size = {.ws_col = columns, .ws_row = rows};
  return ioctl(fd, TIOCSWINSZ, &size);
}

/* Characters of several bytes are erased as one. */
static void know_utf8(int fd) {
  struct termios settings;
  if (tcgetattr(fd, &settings) < 0) return;
  settings.c_iflag |= IUTF8;
  tcsetattr(fd, TCSANOW, &settings);
}

int terminal_open(const struct account *account, uint16_t columns, uint16_t rows, int ends[2]) {
  char name[64];
  ends[0] = descriptor_apart(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (ends[0] < 0 || grantpt(ends[0]) < 0 || unlockpt(ends[0]) < 0) return -1;
  if (ptsname_r(ends[0], name, sizeof name) != 0 || terminal_resize(ends[0], columns, rows) < 0) return -1;
  ends[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends[1] < 0) return -1;
  know_utf8(ends[1]);
  if (account->uid != geteuid() && fchown(ends[1], account->uid, (gid_t)-1) < 0) return -1;
  return 0;
}
