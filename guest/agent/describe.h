/* Single paths as they are seen through the whole file system. */
#pragma once

#include "agent.h"

/* Tells what is at each path that comes on the input; 0 or the code to end with. */
int describe_paths(void);
/* Tells the content of a regular file of at most this many bytes; 0 or the code to end with. */
int read_whole_file(const char *path, uint64_t most);
/* Tells every process; 0 or the code to end with. */
int list_processes(void);
