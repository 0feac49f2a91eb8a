/* Kernel modules of the initrd, in the order its list gives. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot_parts.h"

/* MODULE_INIT_COMPRESSED_FILE of linux/module.h: the kernel unpacks it. */
#define COMPRESSED 4

static void load(const char *name) {
  char path[256];
  if (!format(path, sizeof path, "/forkd/modules/%s", name)) return;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  size_t length = strlen(name);
  bool plain = length > 3 && strcmp(name + length - 3, ".ko") == 0;
  if (fd < 0 || (syscall(SYS_finit_module, fd, "", plain ? 0 : COMPRESSED) < 0 && errno != EEXIST))
    say("cannot load module %s: %s", name, strerror(errno));
  if (fd >= 0) close(fd);
}

void load_modules(void) {
  static char list[16384];
  if (read_text("/forkd/modules.list", list, sizeof list) < 0) return;
  for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) load(line);
}
