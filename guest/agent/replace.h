/* A file's new content beside the file, until all of it is there. */
#pragma once

#include "entry.h"

/* How the names of such files begin; nobody is told of them. */
#define TEMPORARY ".forkd-upload-"

struct replacement {
  int folder;
  char name[256];
  char temporary[40];
  int fd;    /* takes the content */
  bool made; /* nothing has the name yet */
};

/* Makes a file that is to take the place of what a path leads to, and is like it; it vanishes with this process.
   0 or an errno: then what is there can only be written to in place, or not at all. */
int replacement_begin(struct replacement *replacement, const char *path);
/* Puts it in its place; 0 or an errno. */
int replacement_finish(struct replacement *replacement);
/* Removes it. */
void replacement_drop(struct replacement *replacement);
/* Whether a file of this name is new content of another. */
bool is_temporary(const char *name);
