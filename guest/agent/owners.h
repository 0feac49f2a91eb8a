/* Names and numbers of users and groups, as the guest's /etc/passwd and /etc/group pair them. */
#pragma once

#include "agent.h"

/* By name, or any number; false when there is no such name. */
bool user_number(const char *name, uid_t *uid);
bool group_number(const char *name, gid_t *gid);
/* The number itself when it has no name; the text is good until the next call. */
const char *user_name(uid_t uid);
const char *group_name(gid_t gid);
