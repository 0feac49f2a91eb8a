/* Root file systems: the image below, a tmpfs for every write above it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot_parts.h"

#define DEVICE_WAIT_MS 10000
#define LOWER "/forkd/lower"
#define UPPER "/forkd/upper"
#define MERGED "/forkd/root"

_Noreturn void give_up(const char *why) {
  say("%s: powering off", why);
  sync();
  reboot(RB_POWER_OFF);
  for (;;) pause();
}

/* The value of key=value on the kernel command line; false when it is not there. */
static bool boot_option(const char *key, char *value, size_t size) {
  char line[4096];
  if (read_text("/proc/cmdline", line, sizeof line) < 0) return false;
  size_t length = strlen(key);
  for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
    if (strncmp(word, key, length) == 0 && word[length] == '=')
      return format(value, size, "%s", word + length + 1);
  return false;
}

static void wait_for_device(const char *device) {
  int64_t give_up_at = now_ms() + DEVICE_WAIT_MS;
  struct stat info;
  while (stat(device, &info) < 0 || !S_ISBLK(info.st_mode)) {
    char why[256];
    format(why, sizeof why, "root device %s did not appear in %d ms", device, DEVICE_WAIT_MS);
    if (now_ms() > give_up_at) give_up(why);
    usleep(2000);
  }
}

static void mount_or_give_up(const char *source, const char *target, const char *type, unsigned long flags,
                             const char *options) {
  make_dirs(target, 0755);
  if (mount(source, target, type, flags, options) == 0) return;
  char why[512];
  format(why, sizeof why, "cannot mount %s (%s) on %s: %s", source, type, target, strerror(errno));
  give_up(why);
}

static void move_into(const char *from, const char *to) {
  make_dirs(to, 0755);
  if (mount(from, to, NULL, MS_MOVE, NULL) < 0) say("cannot move %s to %s: %s", from, to, strerror(errno));
}

static void remove_files(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char path[512];
    if (format(path, sizeof path, "%s/%s", folder, entry->d_name)) unlink(path);
  }
  if (dir) closedir(dir);
}

void enter_root(void) {
  char device[128], type[32] = "ext4", size[32] = "50%", options[64];
  if (!boot_option("forkd.root", device, sizeof device)) return;
  boot_option("forkd.rootfstype", type, sizeof type);
  boot_option("forkd.upper", size, sizeof size);
  wait_for_device(device);
  mount_or_give_up(device, LOWER, type, MS_RDONLY | MS_NOATIME, NULL);
  format(options, sizeof options, "mode=0755,size=%s", size);
  mount_or_give_up("tmpfs", UPPER, "tmpfs", MS_NOATIME, options);
  make_dirs(UPPER "/upper", 0755);
  make_dirs(UPPER "/work", 0755);
  mount_or_give_up("overlay", MERGED, "overlay", MS_NOATIME,
                   "lowerdir=" LOWER ",upperdir=" UPPER "/upper,workdir=" UPPER "/work,redirect_dir=off,metacopy=off");
  if (keep_layers(UPPER "/upper", LOWER) < 0) say("cannot keep the overlay's layers: %s", strerror(errno));
  move_into("/dev", MERGED "/dev");
  move_into("/proc", MERGED "/proc");
  move_into("/sys", MERGED "/sys");
  /* The initrd is memory: give back what is no longer needed. */
  remove_files("/forkd/modules");
  remove_files("/forkd/runtimes");
  if (chdir(MERGED) < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0)
    give_up("cannot switch to the new root");
}

static uint8_t *read_whole(const char *path, size_t *length) {
  struct stat info;
  if (stat(path, &info) < 0 || !S_ISREG(info.st_mode) || info.st_size > 1 << 20) return NULL;
  char *data = malloc((size_t)info.st_size + 1);
  ssize_t got = data ? read_text(path, data, (size_t)info.st_size + 1) : -1;
  if (got < 0) {
    free(data);
    return NULL;
  }
  *length = (size_t)got;
  return (uint8_t *)data;
}

int keep_runtimes(struct kept_file *kept) {
  DIR *dir = opendir("/forkd/runtimes");
  int count = 0;
  for (struct dirent *entry; dir && count < MAX_KEPT_FILES && (entry = readdir(dir));) {
    char path[300];
    struct kept_file *file = &kept[count];
    if (entry->d_name[0] == '.' || !format(file->name, sizeof file->name, "%s", entry->d_name)) continue;
    if (!format(path, sizeof path, "/forkd/runtimes/%s", entry->d_name)) continue;
    file->data = read_whole(path, &file->length);
    if (file->data) count++;
  }
  if (dir) closedir(dir);
  return count;
}

void place_runtimes(struct kept_file *kept, int count) {
  for (int i = 0; i < count; i++) {
    char path[300];
    bool fits = format(path, sizeof path, "%s/%s", config.run_dir, kept[i].name);
    if (!fits || write_text(path, (char *)kept[i].data, kept[i].length, 0644) < 0)
      say("cannot write %s: %s", path, strerror(errno));
    free(kept[i].data);
  }
}
