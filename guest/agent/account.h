/* Who the guest's programs run as: the accounts of its own /etc/passwd and /etc/group. */
#pragma once

#include "agent.h"

#define ACCOUNT_GROUPS 64

struct account {
  char name[64];
  char home[4096];
  char shell[256];
  uid_t uid;
  gid_t gid;
  gid_t groups[ACCOUNT_GROUPS]; /* all of them, its own first; more than these are left out */
  int group_count;
};

/* Finds an account by name, or by number where no name is like it; "" means whoever the agent is, who
   needs no entry. False when there is none. */
bool account_find(const char *name, struct account *account);
/* Becomes that user for good; 0 or -errno. */
int account_become(const struct account *account);
