#define _GNU_SOURCE
#include "boot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent.h"
#include "boot_parts.h"

#define PORT_NAME "forkd.agent"

static void mount_at(const char *type, const char *path, unsigned long flags, const char *options) {
  make_dirs(path, 0755);
  if (mount(type, path, type, flags, options) < 0 && errno != EBUSY)
    say("cannot mount %s on %s: %s", type, path, strerror(errno));
}

/* Whatever the kernel gave us as standard streams, the console is where people look. */
static void use_console(void) {
  int console = open("/dev/console", O_RDWR | O_NOCTTY | O_CLOEXEC);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) dup2(null, STDIN_FILENO);
  if (console < 0) console = null;
  if (console < 0) return;
  dup2(console, STDOUT_FILENO);
  dup2(console, STDERR_FILENO);
}

static void mount_inside(void) {
  mount_at("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "mode=0620,ptmxmode=0666");
  mount_at("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
  mount_at("tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755");
  make_dirs("/tmp", 01777);
  chmod("/tmp", 01777);
  const char *links[][2] = {
      {"/proc/self/fd", "/dev/fd"}, {"fd/0", "/dev/stdin"}, {"fd/1", "/dev/stdout"}, {"fd/2", "/dev/stderr"}};
  for (size_t i = 0; i < 4; i++) {
    int failed = symlink(links[i][0], links[i][1]);
    (void)failed; /* devtmpfs may have it already */
  }
}

static void set_environment(void) {
  clearenv();
  setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
  setenv("HOME", access("/root", X_OK) == 0 ? "/root" : "/", 1);
  setenv("LANG", "C.UTF-8", 1);
  setenv("TERM", "linux", 1);
}

void boot(void) {
  umask(022);
  mount_at("devtmpfs", "/dev", MS_NOSUID, "mode=0755");
  use_console();
  mount_at("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  mount_at("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  load_modules();
  struct kept_file kept[MAX_KEPT_FILES];
  int count = keep_runtimes(kept);
  enter_root();
  mount_inside();
  make_dirs(config.run_dir, 0755);
  place_runtimes(kept, count);
  network_up();
  set_environment();
  if (chdir("/") < 0) say("cannot enter /: %s", strerror(errno));
}

static int find_port(void) {
  DIR *dir = opendir("/sys/class/virtio-ports");
  int fd = -1;
  for (struct dirent *entry; dir && fd < 0 && (entry = readdir(dir));) {
    char path[300], name[64];
    if (entry->d_name[0] == '.') continue;
    if (!format(path, sizeof path, "/sys/class/virtio-ports/%s/name", entry->d_name)) continue;
    if (read_text(path, name, sizeof name) <= 0) continue;
    name[strcspn(name, "\n")] = 0;
    if (strcmp(name, PORT_NAME) != 0 || !format(path, sizeof path, "/dev/%s", entry->d_name)) continue;
    fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  if (dir) closedir(dir);
  return fd;
}

int boot_open_port(void) {
  for (int64_t tries = 0;; tries++) {
    int fd = find_port();
    if (fd >= 0) return fd;
    if (tries == 500) say("no virtio-serial port named " PORT_NAME " yet; still waiting for one");
    usleep(tries < 500 ? 10000 : 200000);
  }
}
