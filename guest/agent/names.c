#define _GNU_SOURCE
#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "agent.h"

#define OWN_ADDRESS "127.0.1.1"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static int write_line(const char *folder, const char *file, const char *text) {
  char path[256], line[128];
  if (!format(path, sizeof path, "%s/%s", folder, file) || !format(line, sizeof line, "%s\n", text)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return write_text(path, line, strlen(line), 0644);
}

static int write_etc(const char *file, const char *text) {
  char etc[200];
  if (!format(etc, sizeof etc, "%s/etc", config.identity_root)) return -1;
  if (write_line(etc, file, text) == 0) return 0;
  return errno == ENOENT && make_dirs(etc, 0755) == 0 ? write_line(etc, file, text) : -1;
}

/* Keeps every line of /etc/hosts but our own. A hosts file too large for this is left as it is. */
static int write_hosts(const char *hostname) {
  static char old[32768], fresh[sizeof old + 256];
  char path[256];
  if (!format(path, sizeof path, "%s/etc/hosts", config.identity_root)) return -1;
  ssize_t length = read_text(path, old, sizeof old);
  if (length < 0 && errno != ENOENT) return -1;
  if (length == (ssize_t)sizeof old - 1) return 0;
  if (length < 0) format(old, sizeof old, "127.0.0.1\tlocalhost\n::1\tlocalhost\n");
  size_t used = 0;
  for (const char *line = old; *line;) {
    size_t size = strcspn(line, "\n");
    if (line[size] == '\n') size++;
    if (strncmp(line, OWN_ADDRESS, strlen(OWN_ADDRESS)) != 0) {
      memcpy(fresh + used, line, size);
      used += size;
    }
    line += size;
  }
  if (used > 0 && fresh[used - 1] != '\n') fresh[used++] = '\n';
  if (!format(fresh + used, sizeof fresh - used, OWN_ADDRESS "\t%s\n", hostname)) return -1;
  return write_text(path, fresh, strlen(fresh), 0644);
}

int names_set_hostname(const char *hostname) {
  if (sethostname(hostname, strlen(hostname)) < 0 || write_etc("hostname", hostname) < 0) return -1;
  return write_hosts(hostname);
}

int names_set_machine_id(const char *machine_id) {
  char dbus[256];
  if (write_etc("machine-id", machine_id) < 0) return -1;
  if (!format(dbus, sizeof dbus, "%s/var/lib/dbus/machine-id", config.identity_root)) return -1;
  char target[8];
  bool separate = access(dbus, F_OK) == 0 && readlink(dbus, target, sizeof target) < 0;
  if (!separate) return 0;
  return write_line(config.identity_root, "var/lib/dbus/machine-id", machine_id);
}

/* The kernel's boot id cannot be set, so a file of ours hides it; it stays mounted for later forks. */
int names_set_boot_id(const char *boot_id) {
  static bool mounted;
  char path[256];
  if (!format(path, sizeof path, "%s/boot-id", config.run_dir)) return -1;
  if (write_line(config.run_dir, "boot-id", boot_id) < 0) return -1;
  if (mounted) return 0;
  if (mount(path, BOOT_ID, NULL, MS_BIND, NULL) < 0) return -1;
  mounted = true;
  return 0;
}

int names_set_sandbox_id(const char *sandbox_id) {
  if (setenv("FORKD_SANDBOX_ID", sandbox_id, 1) < 0) return -1;
  return write_line(config.run_dir, "sandbox-id", sandbox_id);
}
