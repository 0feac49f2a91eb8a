/* The work on files that helpers of the agent do: each function here runs in a forked child, tells
   its answer (tell.h) and returns 0 or the code that the stream is to be refused with. */
#pragma once

#include <sys/stat.h>

#include "account.h"
#include "entry.h"
#include "wire.h"

/* Who asks, and about what. */
struct request {
  bool owned;            /* a user was named, who is to own what is made */
  struct account owner;  /* root when none was named */
  char path[MAX_PATH];   /* absolute, without "." and ".." */
  char target[MAX_PATH]; /* of a move */
  struct reader rest;    /* what the operation wants besides */
};

int file_stat(const struct request *request);
int file_list(const struct request *request, uint32_t depth);
int file_make_folder(const struct request *request);
int file_move(const struct request *request);
int file_remove(const struct request *request);
int file_change(const struct request *request);
int file_read(const struct request *request, uint64_t offset, uint64_t length);
int file_write(const struct request *request);
int file_watch(const struct request *request, bool recursive);
int file_tar_out(const struct request *request);
int file_tar_in(const struct request *request);

/* Says why something could not be done to a path; the code for it. */
int file_failed(int failure, const char *path);
/* Tells the one entry that is at a path, a symlink itself. */
int tell_file(const char *path);
/* Tells how many bytes of content follow. */
void tell_length(uint64_t length);
#define UNKNOWN_LENGTH UINT64_MAX
/* Makes the folders above a path, as the request's owner; 0 or the code. */
int make_parents(const struct request *request, const char *path);
/* Makes one folder; 0 or an errno. */
int make_owned_folder(const struct request *request, const char *path);
/* Removes what has this name in a folder, with all in it; 0 or an errno. */
int remove_tree(int folder, const char *name);
/* Copies what has this name to another, which must not exist, with all in it; 0 or an errno. */
int copy_tree(int from_folder, const char *from, int to_folder, const char *to);
/* Takes a file's attributes along where the other file system has them. */
void copy_attributes(int from, int to);
/* Copies a file's content into another, and all else that is in `info`; 0 or an errno. */
int copy_content(int from, int to, const struct stat *info);
/* Writes all of it; 0 or an errno. */
int write_all(int fd, const void *data, size_t length);
/* Opens a folder for its entries, without following a symlink; -1 with errno. */
int open_folder(int folder, const char *name);
/* Whether it is one of the names that every folder has. */
bool is_dots(const char *name);

/* Appends what is stored with a file: u16 count, then name and value of each. */
void put_metadata(struct writer *out, const char *path, mode_t mode);
/* Whether these are names and values as can be stored. */
bool metadata_fits(struct reader in);
/* Stores them in place of those that are there; 0 or an errno. */
int store_metadata(int fd, struct reader in);
