#define _GNU_SOURCE
#include "mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static struct mount *mounts;
static int count;

/* Undoes the kernel's \ooo for blanks and backslashes, in place. */
static void unescape(char *text) {
  char *out = text;
  for (const char *in = text; *in; out++) {
    if (in[0] == '\\' && in[1] && in[2] && in[3]) {
      *out = (char)((in[1] - '0') * 64 + (in[2] - '0') * 8 + (in[3] - '0'));
      in += 4;
    } else {
      *out = *in++;
    }
  }
  *out = 0;
}

/* The path below the folder that stands for the guest's root; NULL when it is outside. */
static const char *guest_path(const char *path) {
  size_t length = strlen(guest_root());
  if (strncmp(path, guest_root(), length) != 0 || (path[length] != '/' && path[length] != 0)) return NULL;
  return path[length] ? path + length : "/";
}

static bool seen_at(const char *path, unsigned major_number, unsigned minor_number) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && major(info.st_dev) == major_number &&
         minor(info.st_dev) == minor_number;
}

static bool add(const char *path, bool tmpfs) {
  struct mount *grown = realloc(mounts, ((size_t)count + 1) * sizeof *mounts);
  if (!grown) return false;
  mounts = grown;
  mounts[count] = (struct mount){.path = strdup(path), .tmpfs = tmpfs};
  return mounts[count++].path != NULL;
}

/* One line: id, parent, device, root, mount point, options, any number of fields, "-", type, source. */
static bool parse(const char *line) {
  unsigned major_number, minor_number;
  char *root = NULL, *point = NULL;
  bool read = sscanf(line, "%*d %*d %u:%u %ms %ms", &major_number, &minor_number, &root, &point) == 4, kept = true;
  if (read) unescape(point);
  const char *path = read ? guest_path(point) : NULL, *type = strstr(line, " - ");
  if (path) {
    bool whole = type && strncmp(type, " - tmpfs ", 9) == 0 && strcmp(root, "/") == 0;
    kept = add(path, whole && seen_at(point, major_number, minor_number));
  }
  free(root);
  free(point);
  return kept;
}

int mounts_read(void) {
  FILE *file = fopen("/proc/self/mountinfo", "re");
  if (!file) return -errno;
  char *line = NULL;
  size_t size = 0;
  bool kept = true;
  while (kept && getline(&line, &size, file) > 0) kept = parse(line);
  free(line);
  fclose(file);
  return kept ? count : -ENOMEM;
}

const struct mount *mount_at_index(int index) { return &mounts[index]; }

bool is_mount_point(const char *path) {
  for (int i = 0; i < count; i++)
    if (strcmp(mounts[i].path, path) == 0) return true;
  return false;
}
