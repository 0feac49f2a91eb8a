#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "files.h"
#include "owners.h"
#include "tar.h"
#include "tell.h"

#define LARGEST_OCTAL 077777777777ull /* what eleven digits hold */
#define LARGEST_OWNER 07777777u

uint32_t tar_checksum(const struct tar_header *header) {
  const uint8_t *bytes = (const uint8_t *)header;
  uint32_t sum = 0;
  for (size_t i = 0; i < TAR_BLOCK; i++) {
    bool in_checksum = i >= offsetof(struct tar_header, checksum) && i < offsetof(struct tar_header, type);
    sum += in_checksum ? ' ' : bytes[i];
  }
  return sum;
}

static void octal(char *field, size_t size, uint64_t value) {
  for (size_t i = size - 1; i-- > 0; value >>= 3) field[i] = (char)('0' + (value & 7));
}

static void copy_text(char *field, size_t size, const char *text) {
  size_t length = strlen(text);
  memcpy(field, text, length < size ? length : size);
}

static void tell_header(struct tar_header *header) {
  memcpy(header->magic, "ustar", 6);
  memcpy(header->version, "00", 2);
  octal(header->checksum, 7, tar_checksum(header));
  header->checksum[7] = ' ';
  tell(header, sizeof *header);
}

static void tell_padding(uint64_t length) {
  static const uint8_t zeros[TAR_BLOCK];
  if (length % TAR_BLOCK) tell(zeros, TAR_BLOCK - length % TAR_BLOCK);
}

/* Records of a pax header: "LENGTH KEY=VALUE\n", where the length counts itself. */
struct pax {
  char text[3 * MAX_PATH];
  size_t length;
};

static void pax_add(struct pax *pax, const char *key, const char *value) {
  size_t rest = strlen(key) + strlen(value) + 3, length = rest + 1;
  for (size_t digits = 1, limit = 10; length >= limit; limit *= 10) length = rest + ++digits;
  int put = snprintf(pax->text + pax->length, sizeof pax->text - pax->length, "%zu %s=%s\n", length, key, value);
  pax->length += (size_t)put;
}

static void pax_tell(const struct pax *pax) {
  struct tar_header header = {.type = TAR_PAX, .name = "pax_header"};
  if (pax->length == 0) return;
  octal(header.mode, sizeof header.mode, 0644);
  octal(header.uid, sizeof header.uid, 0);
  octal(header.gid, sizeof header.gid, 0);
  octal(header.mtime, sizeof header.mtime, 0);
  octal(header.size, sizeof header.size, pax->length);
  tell_header(&header);
  tell(pax->text, pax->length);
  tell_padding(pax->length);
}

static void pax_number(struct pax *pax, const char *key, uint64_t value, uint64_t largest) {
  char text[32];
  format(text, sizeof text, "%llu", (unsigned long long)value);
  if (value > largest) pax_add(pax, key, text);
}

/* What the header cannot say; times before 1970 and parts of a second are such. */
static void pax_collect(struct pax *pax, const struct stat *info, const char *name, const char *link) {
  char time[64];
  pax->length = 0;
  if (strlen(name) > sizeof ((struct tar_header *)0)->name) pax_add(pax, "path", name);
  if (strlen(link) > sizeof ((struct tar_header *)0)->link) pax_add(pax, "linkpath", link);
  pax_number(pax, "size", S_ISREG(info->st_mode) ? (uint64_t)info->st_size : 0, LARGEST_OCTAL);
  pax_number(pax, "uid", info->st_uid, LARGEST_OWNER);
  pax_number(pax, "gid", info->st_gid, LARGEST_OWNER);
  format(time, sizeof time, "%lld.%09ld", (long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec);
  if (info->st_mtim.tv_nsec || info->st_mtim.tv_sec < 0) pax_add(pax, "mtime", time);
}

static char type_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return TAR_FILE;
    case S_IFDIR: return TAR_FOLDER;
    case S_IFLNK: return TAR_SYMLINK;
    case S_IFCHR: return TAR_CHAR_DEVICE;
    case S_IFBLK: return TAR_BLOCK_DEVICE;
    default: return TAR_FIFO;
  }
}

static void tell_entry_header(const struct stat *info, const char *name, const char *link) {
  static struct pax pax;
  pax_collect(&pax, info, name, link);
  pax_tell(&pax);
  struct tar_header header = {.type = type_of(info->st_mode)};
  uint64_t size = S_ISREG(info->st_mode) ? (uint64_t)info->st_size : 0;
  copy_text(header.name, sizeof header.name, name);
  copy_text(header.link, sizeof header.link, link);
  octal(header.mode, sizeof header.mode, info->st_mode & 07777);
  octal(header.uid, sizeof header.uid, info->st_uid > LARGEST_OWNER ? 0 : info->st_uid);
  octal(header.gid, sizeof header.gid, info->st_gid > LARGEST_OWNER ? 0 : info->st_gid);
  octal(header.size, sizeof header.size, size > LARGEST_OCTAL ? 0 : size);
  octal(header.mtime, sizeof header.mtime, info->st_mtim.tv_sec < 0 ? 0 : (uint64_t)info->st_mtim.tv_sec);
  copy_text(header.user, sizeof header.user - 1, user_name(info->st_uid));
  copy_text(header.group, sizeof header.group - 1, group_name(info->st_gid));
  octal(header.major, sizeof header.major, major(info->st_rdev));
  octal(header.minor, sizeof header.minor, minor(info->st_rdev));
  tell_header(&header);
}

/* Exactly as much as the header says, with zeros for what a file lost meanwhile. */
static int tell_content(int fd, uint64_t size, const char *name) {
  static uint8_t piece[65536];
  for (uint64_t left = size; left > 0;) {
    size_t most = left < sizeof piece ? (size_t)left : sizeof piece;
    ssize_t got = read(fd, piece, most);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failed(errno, name);
    if (got == 0) memset(piece, 0, most), got = (ssize_t)most;
    tell(piece, (size_t)got);
    left -= (uint64_t)got;
  }
  tell_padding(size);
  return 0;
}

static int pack_file(int folder, const char *item, const char *name) {
  struct stat info;
  int fd = openat(folder, item, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == ELOOP ? 0 : file_failed(errno, name);
  int code = 0;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    tell_entry_header(&info, name, "");
    code = tell_content(fd, (uint64_t)info.st_size, name);
  }
  close(fd);
  return code;
}

static int pack(int folder, const char *item, char name[MAX_PATH]);

/* Goes through the folder that `name` tells and owns `fd`. */
static int pack_all_in(int fd, char name[MAX_PATH]) {
  DIR *folder = fdopendir(fd);
  if (!folder) return close(fd), file_failed(errno, name);
  size_t end = strlen(name);
  int code = 0;
  for (const struct dirent *item; code == 0 && (item = readdir(folder));) {
    if (is_dots(item->d_name)) continue;
    bool fits = format(name + end, MAX_PATH - end, "%s%s", end > 0 ? "/" : "", item->d_name);
    code = fits ? pack(fd, item->d_name, name) : file_failed(ENAMETOOLONG, name);
    name[end] = 0;
  }
  closedir(folder);
  return code;
}

/* One thing and all in it; what vanishes meanwhile is left out, and so are sockets. */
static int pack(int folder, const char *item, char name[MAX_PATH]) {
  static char link[MAX_PATH];
  struct stat info;
  if (fstatat(folder, item, &info, AT_SYMLINK_NOFOLLOW) < 0) return errno == ENOENT ? 0 : file_failed(errno, name);
  if (S_ISSOCK(info.st_mode)) return 0;
  if (S_ISREG(info.st_mode)) return pack_file(folder, item, name);
  link[0] = 0;
  if (S_ISLNK(info.st_mode)) {
    ssize_t length = readlinkat(folder, item, link, sizeof link - 1);
    if (length < 0) return errno == ENOENT || errno == EINVAL ? 0 : file_failed(errno, name);
    link[length] = 0;
  }
  if (!S_ISDIR(info.st_mode)) return tell_entry_header(&info, name, link), 0;
  int fd = open_folder(folder, item);
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : file_failed(errno, name);
  size_t end = strlen(name);
  if (end + 1 < MAX_PATH) memcpy(name + end, "/", 2);
  tell_entry_header(&info, name, "");
  name[end] = 0;
  return pack_all_in(fd, name);
}

static void tell_end(void) {
  static const uint8_t zeros[2 * TAR_BLOCK];
  tell(zeros, sizeof zeros);
}

int file_tar_out(const struct request *request) {
  static char name[MAX_PATH];
  struct stat info;
  int fd = open(request->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) < 0) return file_failed(errno, request->path);
  if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode))
    return complain(E_UNFIT, "it is neither a file nor a folder: %s", request->path);
  tell_length(UNKNOWN_LENGTH);
  tell_flush();
  int code;
  if (S_ISDIR(info.st_mode)) {
    code = pack_all_in(fd, name);
  } else {
    tell_entry_header(&info, strrchr(request->path, '/') + 1, "");
    code = tell_content(fd, (uint64_t)info.st_size, request->path);
  }
  if (code == 0) tell_end();
  return code;
}
