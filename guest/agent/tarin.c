#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "files.h"
#include "tarhead.h"
#include "tarname.h"
#include "tell.h"

static const struct request *asked;
static int target;

/* A folder that the archive does not name itself. */
static int make_between(int folder, const char *name) {
  if (mkdirat(folder, name, 0755) < 0) return errno;
  return fchownat(folder, name, asked->owner.uid, asked->owner.gid, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
}

static int failed(int failure, const struct member *member) {
  if (failure == EXDEV) return complain(E_UNFIT, "an entry would leave the folder: %s", member->name);
  return file_failed(failure, member->name);
}

static uid_t owner_of(const struct member *member) { return asked->owned ? asked->owner.uid : member->uid; }
static gid_t group_of(const struct member *member) { return asked->owned ? asked->owner.gid : member->gid; }

/* Makes way for something that is no folder; 0 or an errno. */
static int clear(int folder, const char *name) {
  return unlinkat(folder, name, 0) < 0 && errno != ENOENT ? errno : 0;
}

static int skip_content(const struct member *member) {
  const uint8_t *data;
  for (uint64_t left = member->size; left > 0;) {
    size_t got = tar_take(left, &data);
    if (got == 0) return complain(E_UNFIT, "the archive ends in the middle of %s", member->name);
    left -= got;
  }
  return 0;
}

static int write_content(int fd, const struct member *member) {
  const uint8_t *data;
  for (uint64_t left = member->size; left > 0;) {
    size_t got = tar_take(left, &data);
    if (got == 0) return complain(E_UNFIT, "the archive ends in the middle of %s", member->name);
    int failure = write_all(fd, data, got);
    if (failure) return file_failed(failure, member->name);
    left -= got;
  }
  return 0;
}

static int unpack_file(int folder, const char *name, const struct member *member) {
  int failure = clear(folder, name);
  if (failure) return failed(failure, member);
  int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return failed(errno, member);
  int code = write_content(fd, member);
  struct timespec times[2] = {member->modified, member->modified};
  if (code == 0 && (fchown(fd, owner_of(member), group_of(member)) < 0 || fchmod(fd, member->mode) < 0 ||
                    futimens(fd, times) < 0))
    code = failed(errno, member);
  close(fd);
  return code;
}

/* A folder that is there already, or a link that leads to one inside, is good as well; 0 or an errno. */
static int unpack_folder(int folder, const char *name, const struct member *member) {
  struct stat info;
  int failure = mkdirat(folder, name, 0755) < 0 ? errno : 0;
  if (failure == EEXIST && fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
    failure = S_ISDIR(info.st_mode) ? 0 : EEXIST;
    int linked = S_ISLNK(info.st_mode) ? open_beneath(target, member->name) : -1;
    if (linked >= 0) return close(linked);
    if (failure && S_ISLNK(info.st_mode) && errno == EXDEV) return EXDEV;
    if (failure) failure = clear(folder, name);
    if (!failure && !S_ISDIR(info.st_mode) && mkdirat(folder, name, 0755) < 0) failure = errno;
  }
  if (failure) return failure;
  if (fchownat(folder, name, owner_of(member), group_of(member), AT_SYMLINK_NOFOLLOW) < 0) return errno;
  return fchmodat(folder, name, member->mode, 0) < 0 ? errno : 0;
}

static int no_folder(int folder, const char *name) {
  (void)folder;
  (void)name;
  return ENOENT;
}

static int unpack_hard_link(int folder, const char *name, struct member *member) {
  const char *last;
  if (!tar_clean(member->link) || !member->link[0]) return EXDEV;
  int other = tar_parent(target, member->link, no_folder, &last);
  if (other < 0) return errno;
  struct stat there, here;
  bool same = fstatat(other, last, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
              fstatat(folder, name, &here, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == here.st_ino &&
              there.st_dev == here.st_dev;
  int failure = same ? 0 : clear(folder, name);
  if (!same && !failure && linkat(other, last, folder, name, 0) < 0) failure = errno;
  close(other);
  return failure;
}

/* A symlink may lead anywhere: nothing is unpacked through one that leads out. */
static int unpack_node(int folder, const char *name, const struct member *member) {
  int failure = clear(folder, name);
  if (failure) return failure;
  mode_t kind = member->type == TAR_CHAR_DEVICE ? S_IFCHR : member->type == TAR_BLOCK_DEVICE ? S_IFBLK : S_IFIFO;
  int made = member->type == TAR_SYMLINK
                 ? symlinkat(member->link, folder, name)
                 : mknodat(folder, name, kind | member->mode, makedev(member->major, member->minor));
  if (made < 0) return errno;
  struct timespec times[2] = {member->modified, member->modified};
  if (fchownat(folder, name, owner_of(member), group_of(member), AT_SYMLINK_NOFOLLOW) < 0) return errno;
  return utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
}

static int unpack_into(int folder, const char *name, struct member *member) {
  int failure;
  switch (member->type) {
    case TAR_FILE: return unpack_file(folder, name, member);
    case TAR_FOLDER: failure = unpack_folder(folder, name, member); break;
    case TAR_HARD_LINK: failure = unpack_hard_link(folder, name, member); break;
    case TAR_SYMLINK:
    case TAR_CHAR_DEVICE:
    case TAR_BLOCK_DEVICE:
    case TAR_FIFO: failure = unpack_node(folder, name, member); break;
    default: return complain(E_UNFIT, "an entry of type '%c' cannot be unpacked: %s", member->type, member->name);
  }
  return failure ? failed(failure, member) : 0;
}

static int unpack(struct member *member) {
  if (member->type == TAR_GNU_VOLUME) return skip_content(member);
  if (!tar_clean(member->name)) return failed(EXDEV, member);
  if (!member->name[0]) return skip_content(member); /* the folder itself */
  const char *last;
  int folder = tar_parent(target, member->name, make_between, &last);
  if (folder < 0) return failed(errno, member);
  int code = unpack_into(folder, last, member);
  close(folder);
  return code;
}

static int open_target(void) {
  struct stat info;
  int code = make_parents(asked, asked->path);
  if (code) return code;
  int failure = stat(asked->path, &info) == 0 ? 0 : make_owned_folder(asked, asked->path);
  target = failure ? -1 : open(asked->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return target < 0 ? file_failed(failure ? failure : errno, asked->path) : 0;
}

int file_tar_in(const struct request *request) {
  static struct member member;
  const char *why;
  asked = request;
  int code = open_target();
  while (code == 0) {
    enum tar_event event = tar_next(&member, &why);
    if (event == TAR_END) break;
    if (event == TAR_BROKEN) return complain(E_UNFIT, "%s", why);
    code = unpack(&member);
    if (code == 0 && !tar_skip_padding(member.size)) return complain(E_UNFIT, "the archive ends in the middle");
  }
  if (code == 0) tar_skip_end();
  return code;
}
