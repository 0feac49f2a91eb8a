#define _GNU_SOURCE
#include "entry.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "content.h"
#include "tell.h"
#include "wire.h"

#define FLAG_OPAQUE 1
/* The fields of fixed size, two paths and a digest. */
#define RECORD_MOST (64 + 2 * MAX_PATH + SHA256_SIZE)

int open_regular(int directory, const char *name, struct stat *info) {
  int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return errno == ELOOP ? -ENOENT : -errno;
  if (fstat(fd, info) == 0 && S_ISREG(info->st_mode)) return fd;
  close(fd);
  return -ENOENT;
}

static uint8_t type_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return ENTRY_FILE;
    case S_IFDIR: return ENTRY_DIRECTORY;
    case S_IFLNK: return ENTRY_SYMLINK;
    case S_IFIFO: return ENTRY_FIFO;
    case S_IFSOCK: return ENTRY_SOCKET;
    case S_IFCHR: return ENTRY_CHAR_DEVICE;
    default: return ENTRY_BLOCK_DEVICE;
  }
}

static void take(struct entry *entry, const struct stat *info) {
  entry->type = type_of(info->st_mode);
  entry->mode = (uint16_t)(info->st_mode & 07777);
  entry->uid = info->st_uid;
  entry->gid = info->st_gid;
}

/* A file that cannot be read is told without its hash, one that has just been replaced is gone. */
static int look_into(int directory, const char *name, struct entry *entry) {
  struct stat info;
  int fd = open_regular(directory, name, &info);
  if (fd == -ENOENT || fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM) return fd;
  if (fd < 0) return 0;
  take(entry, &info);
  content_read(fd, (uint64_t)info.st_size, entry);
  close(fd);
  return 0;
}

int entry_at(int directory, const char *name, bool overlay, struct entry *entry) {
  *entry = (struct entry){.lines = NOT_TEXT};
  struct stat info;
  if (fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
  take(entry, &info);
  if (entry->type == ENTRY_FILE) {
    entry->size = (uint64_t)info.st_size;
    return look_into(directory, name, entry);
  }
  if (entry->type == ENTRY_SYMLINK) {
    ssize_t length = readlinkat(directory, name, entry->target, sizeof entry->target - 1);
    if (length < 0) return errno == EINVAL ? -ENOENT : -errno;
  }
  if (entry->type == ENTRY_CHAR_DEVICE || entry->type == ENTRY_BLOCK_DEVICE)
    format(entry->target, sizeof entry->target, "%u:%u", major(info.st_rdev), minor(info.st_rdev));
  if (overlay && entry->type == ENTRY_CHAR_DEVICE && info.st_rdev == 0)
    *entry = (struct entry){.type = ENTRY_REMOVED, .lines = NOT_TEXT};
  return 0;
}

void tell_entry(const struct entry *entry, const char *path) {
  uint8_t buffer[RECORD_MOST];
  struct writer record = writer_on(buffer, sizeof buffer);
  put_u8(&record, entry->type);
  put_u8(&record, entry->opaque ? FLAG_OPAQUE : 0);
  put_u16(&record, entry->mode);
  put_u32(&record, entry->uid);
  put_u32(&record, entry->gid);
  put_u64(&record, entry->size);
  put_u32(&record, entry->lines);
  put_text(&record, path);
  put_text(&record, entry->target);
  put_bytes(&record, entry->hash, entry->hashed ? SHA256_SIZE : 0);
  tell_record(&record);
}

void tell_missing(uint8_t type, const char *path) {
  static struct entry missing;
  missing.type = type;
  missing.lines = NOT_TEXT;
  tell_entry(&missing, path);
}
