#define _GNU_SOURCE
#include "owners.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of either file. */
struct owner {
  const char *name;
  uint32_t number;
};

static bool next_user(FILE *file, struct owner *owner) {
  const struct passwd *entry = fgetpwent(file);
  if (entry) *owner = (struct owner){entry->pw_name, entry->pw_uid};
  return entry;
}

static bool next_group(FILE *file, struct owner *owner) {
  const struct group *entry = fgetgrent(file);
  if (entry) *owner = (struct owner){entry->gr_name, entry->gr_gid};
  return entry;
}

/* Which of the two files. */
struct kind {
  const char *path;
  bool (*next)(FILE *file, struct owner *owner);
};
static const struct kind users = {"/etc/passwd", next_user}, groups = {"/etc/group", next_group};

/* By name, or by number where that is NULL. The name found is good until the next search. */
static bool search(const struct kind *kind, const char *name, uint32_t number, struct owner *owner) {
  FILE *file = fopen(kind->path, "re");
  if (!file) return false;
  bool found = false;
  while (!found && kind->next(file, owner)) found = name ? strcmp(owner->name, name) == 0 : owner->number == number;
  fclose(file);
  return found;
}

static bool number_of(const struct kind *kind, const char *name, uint32_t *number) {
  struct owner owner;
  char *end;
  unsigned long value = strtoul(name, &end, 10);
  bool numeric = *name >= '0' && *name <= '9' && !*end && value < UINT32_MAX;
  bool found = search(kind, name, 0, &owner);
  if (!found && !numeric && strcmp(name, "root") != 0) return false;
  *number = found ? owner.number : numeric ? (uint32_t)value : 0;
  return true;
}

bool user_number(const char *name, uid_t *uid) { return number_of(&users, name, uid); }
bool group_number(const char *name, gid_t *gid) { return number_of(&groups, name, gid); }

/* The last answer: in a folder most things belong to the same. */
struct known {
  bool known;
  uint32_t number;
  char name[256];
};

static const char *name_of(const struct kind *kind, uint32_t number, struct known *known) {
  struct owner owner;
  if (known->known && known->number == number) return known->name;
  known->known = true;
  known->number = number;
  bool named = search(kind, NULL, number, &owner) && format(known->name, sizeof known->name, "%s", owner.name);
  if (!named && !format(known->name, sizeof known->name, "%u", number)) known->known = false;
  return known->name;
}

const char *user_name(uid_t uid) {
  static struct known known;
  return name_of(&users, uid, &known);
}

const char *group_name(gid_t gid) {
  static struct known known;
  return name_of(&groups, gid, &known);
}
