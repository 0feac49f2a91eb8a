#define _GNU_SOURCE
#include "account.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read by hand and not by getpwnam: that asks other services where it is linked into a static program. */
#define USERS "/etc/passwd"
#define GROUPS "/etc/group"

static bool matches(const struct passwd *entry, const char *name, uid_t uid) {
  return name ? strcmp(entry->pw_name, name) == 0 : entry->pw_uid == uid;
}

static bool take(const struct passwd *entry, struct account *account) {
  account->uid = entry->pw_uid;
  account->gid = entry->pw_gid;
  const char *home = *entry->pw_dir ? entry->pw_dir : "/";
  const char *shell = *entry->pw_shell ? entry->pw_shell : "/bin/sh";
  return format(account->name, sizeof account->name, "%s", entry->pw_name) &&
         format(account->home, sizeof account->home, "%s", home) &&
         format(account->shell, sizeof account->shell, "%s", shell);
}

/* By name, or by number when that is NULL. */
static bool look_up(const char *name, uid_t uid, struct account *account) {
  FILE *file = fopen(USERS, "re");
  if (!file) return false;
  const struct passwd *entry = fgetpwent(file);
  while (entry && !matches(entry, name, uid)) entry = fgetpwent(file);
  bool found = entry && take(entry, account);
  fclose(file);
  return found;
}

static void add_groups(struct account *account) {
  account->groups[0] = account->gid;
  account->group_count = 1;
  FILE *file = fopen(GROUPS, "re");
  if (!file) return;
  for (const struct group *group; (group = fgetgrent(file)) && account->group_count < ACCOUNT_GROUPS;)
    for (char **member = group->gr_mem; group->gr_gid != account->gid && *member; member++)
      if (strcmp(*member, account->name) == 0) {
        account->groups[account->group_count++] = group->gr_gid;
        break;
      }
  fclose(file);
}

bool account_find(const char *name, struct account *account) {
  memset(account, 0, sizeof *account);
  bool own = !*name;
  char *end;
  unsigned long number = strtoul(name, &end, 10);
  bool numeric = *name >= '0' && *name <= '9' && !*end && number < UINT32_MAX;
  bool found = own ? look_up(NULL, geteuid(), account)
                   : look_up(name, 0, account) || (numeric && look_up(NULL, (uid_t)number, account));
  if (!found && (own || strcmp(name, "root") == 0)) {
    /* An image need not have the file at all. */
    struct passwd bare = {.pw_name = "root", .pw_dir = "/root", .pw_shell = "/bin/sh"};
    bare.pw_uid = own ? geteuid() : 0;
    bare.pw_gid = own ? getegid() : 0;
    found = take(&bare, account);
  }
  if (!found) return false;
  const char *home = account->uid == geteuid() ? getenv("HOME") : NULL;
  if (home && *home) format(account->home, sizeof account->home, "%s", home);
  add_groups(account);
  return true;
}

int account_become(const struct account *account) {
  bool already = getuid() == account->uid && geteuid() == account->uid;
  if (already && account->uid != 0) return 0;
  if (setgroups((size_t)account->group_count, account->groups) < 0 && !already) return -errno;
  if (setgid(account->gid) < 0 || setuid(account->uid) < 0) return -errno;
  return 0;
}
