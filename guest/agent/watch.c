#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "replace.h"
#include "tell.h"

enum change { START = 0, CREATE = 1, WRITE = 2, REMOVE = 3, RENAME = 4, CHMOD = 5 };

#define CHANGES (IN_CREATE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB)
#define ENDINGS (IN_DELETE_SELF | IN_UNMOUNT)
#define MOST_FOLDERS 65536

/* Watched folders by the kernel's number for them, which never falls. */
struct folder {
  int number;
  char *name; /* relative to the first, which is "" */
};

static struct folder *folders;
static size_t folder_count, folder_room;
static int notes;
static char root[MAX_PATH];

static void tell_change(enum change kind, const char *name) {
  uint8_t buffer[16 + MAX_PATH];
  struct writer record = writer_on(buffer, sizeof buffer);
  put_u8(&record, (uint8_t)kind);
  put_text(&record, name);
  tell_record(&record);
}

static struct folder *find(int number) {
  size_t low = 0, high = folder_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (folders[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < folder_count && folders[low].number == number ? &folders[low] : NULL;
}

static void forget(struct folder *folder) {
  free(folder->name);
  size_t after = (size_t)(folders + folder_count - folder) - 1;
  memmove(folder, folder + 1, after * sizeof *folder);
  folder_count--;
}

/* A folder that is watched already, by whatever name, keeps its number and gets the new name. */
static int remember(int number, const char *name) {
  char *copy = strdup(name);
  if (!copy) return ENOMEM;
  struct folder *known = find(number);
  if (known) {
    free(known->name);
    known->name = copy;
    return 0;
  }
  if (folder_count == folder_room) {
    size_t room = folder_room ? 2 * folder_room : 16;
    struct folder *more = room > MOST_FOLDERS ? NULL : realloc(folders, room * sizeof *more);
    if (!more) return free(copy), ENOMEM;
    folders = more;
    folder_room = room;
  }
  folders[folder_count++] = (struct folder){number, copy};
  return 0;
}

static bool join(char path[MAX_PATH], const char *above, const char *name) {
  return format(path, MAX_PATH, "%s%s%s", above, *above && *name ? "/" : "", name);
}

static char path[MAX_PATH]; /* of the folder that is being looked at */

/* Watches a folder and leaves its path in `path`; 0 or an errno. */
static int watch_folder(const char *name) {
  uint32_t mask = CHANGES | IN_ONLYDIR | (*name ? IN_DONT_FOLLOW : ENDINGS);
  if (!join(path, root, name)) return ENAMETOOLONG;
  int number = inotify_add_watch(notes, path, mask);
  return number < 0 ? errno : remember(number, name);
}

static bool vanished(int failure) { return failure == ENOENT || failure == ENOTDIR || failure == ELOOP; }

/* Watches a folder with all folders in it, but those that vanish before; `told`: what is in them is
   told as made. `name` is as it was afterwards. 0 or an errno. */
static int watch_tree(char name[MAX_PATH], bool told) {
  int failure = watch_folder(name);
  if (failure) return *name && vanished(failure) ? 0 : failure;
  DIR *folder = opendir(path);
  if (!folder) return vanished(errno) ? 0 : errno;
  size_t end = strlen(name);
  for (const struct dirent *item; !failure && (item = readdir(folder)); name[end] = 0) {
    struct stat info;
    bool hidden = is_dots(item->d_name) || is_temporary(item->d_name);
    if (hidden || !format(name + end, MAX_PATH - end, "%s%s", end ? "/" : "", item->d_name)) continue;
    if (told) tell_change(CREATE, name);
    bool is_folder = fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
    if (is_folder) failure = watch_tree(name, told);
  }
  closedir(folder);
  return failure;
}

/* A folder was moved away, with all in it. */
static void unwatch_tree(const char *name) {
  size_t length = strlen(name);
  for (size_t i = folder_count; i-- > 0;) {
    const char *other = folders[i].name;
    if (strncmp(other, name, length) != 0 || (other[length] && other[length] != '/')) continue;
    inotify_rm_watch(notes, folders[i].number);
    forget(&folders[i]);
  }
}

static void tell_event(uint32_t mask, const char *name) {
  if (mask & (IN_CREATE | IN_MOVED_TO)) tell_change(CREATE, name);
  if (mask & IN_MODIFY) tell_change(WRITE, name);
  if (mask & IN_DELETE) tell_change(REMOVE, name);
  if (mask & IN_MOVED_FROM) tell_change(RENAME, name);
  if (mask & IN_ATTRIB) tell_change(CHMOD, name);
}

/* New content that is put in the place of old is told as it would be if it were written there. */
static bool is_replacing(const struct inotify_event *event) {
  static uint32_t moving;
  bool temporary = event->len > 0 && is_temporary(event->name);
  if (temporary && (event->mask & IN_MOVED_FROM)) moving = event->cookie;
  return temporary || (event->cookie != 0 && event->cookie == moving);
}

static int cannot_watch(int failure, const char *name) {
  if (failure == ENOSPC || failure == ENOMEM || failure == EMFILE)
    return complain(E_LIMIT, "the guest has no more room for watched folders: %s", name);
  return file_failed(failure, name);
}

/* 0, or the code that the watch ends with. */
static int take_event(const struct inotify_event *event, bool recursive) {
  if (event->mask & IN_Q_OVERFLOW)
    return complain(E_UNFIT, "changes came faster than they were read, and some are lost: list %s and watch anew", root);
  struct folder *folder = find(event->wd);
  if (!folder) return 0;
  bool is_root = !*folder->name;
  if (is_root && (event->mask & (ENDINGS | IN_IGNORED)))
    return complain(E_NOT_FOUND, "the watched folder is gone: %s", root);
  if (event->mask & IN_IGNORED) return forget(folder), 0;
  char name[MAX_PATH];
  if (event->len == 0 || is_replacing(event) || !join(name, folder->name, event->name)) return 0;
  tell_event(event->mask, name);
  if (!recursive || !(event->mask & IN_ISDIR)) return 0;
  if (event->mask & IN_MOVED_FROM) unwatch_tree(name);
  int failure = event->mask & (IN_CREATE | IN_MOVED_TO) ? watch_tree(name, true) : 0;
  return failure ? cannot_watch(failure, name) : 0;
}

static int take_events(bool recursive) {
  static char buffer[65536] __attribute__((aligned(__alignof__(struct inotify_event))));
  ssize_t got = read(notes, buffer, sizeof buffer);
  if (got < 0) return errno == EINTR ? 0 : file_failed(errno, root);
  int code = 0;
  for (char *at = buffer; code == 0 && at < buffer + got;) {
    const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
    code = take_event(event, recursive);
    at += sizeof *event + event->len;
  }
  tell_flush();
  return code;
}

int file_watch(const struct request *request, bool recursive) {
  char name[MAX_PATH] = "";
  notes = inotify_init1(IN_CLOEXEC);
  format(root, sizeof root, "%s", request->path);
  int failure = notes < 0 ? errno : recursive ? watch_tree(name, false) : watch_folder(name);
  if (failure) return cannot_watch(failure, root);
  tell_change(START, "");
  tell_flush();
  int code = 0;
  while (code == 0) code = take_events(recursive);
  return code;
}
