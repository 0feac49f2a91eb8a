/* The steps of a boot that have a file of their own. */
#pragma once

#include "agent.h"

#define MAX_KEPT_FILES 16

/* A file of the initrd carried over into the new root. */
struct kept_file {
  char name[64];
  uint8_t *data;
  size_t length;
};

/* Loads /forkd/modules.list in its order. */
void load_modules(void);
int keep_runtimes(struct kept_file *kept);
void place_runtimes(struct kept_file *kept, int count);
/* Makes the image the kernel command line names the root, under a writable overlay. */
void enter_root(void);
void network_up(void);
_Noreturn void give_up(const char *why);
