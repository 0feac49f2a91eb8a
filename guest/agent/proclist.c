/* The processes of the guest, out of /proc. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "describe.h"
#include "process.h"
#include "tell.h"

#define KERNEL_THREAD 0x00200000u /* PF_KTHREAD of the kernel's flags */
#define COMMAND_MOST 4096

/* Everything of a process's file that fits; command lines hold zero bytes. */
static size_t read_proc(const char *pid, const char *file, char *buffer, size_t size) {
  char path[64];
  int fd = format(path, sizeof path, "/proc/%s/%s", pid, file) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  size_t total = 0;
  for (ssize_t got; fd >= 0 && total < size && (got = read(fd, buffer + total, size - total)) > 0;)
    total += (size_t)got;
  if (fd >= 0) close(fd);
  return total;
}

/* A name may hold anything, parentheses too, so it ends at the last one. */
static void tell_process(const char *pid) {
  char stat[1024], command[COMMAND_MOST], state;
  size_t length = read_proc(pid, "stat", stat, sizeof stat - 1);
  stat[length] = 0;
  char *name = memchr(stat, '(', length), *end = memrchr(stat, ')', length);
  int parent;
  unsigned flags;
  if (!name || !end || end < name) return; /* it has just ended */
  if (sscanf(end + 1, " %c %d %*d %*d %*d %*d %u", &state, &parent, &flags) != 3) return;
  if (flags & KERNEL_THREAD || state == 'Z' || state == 'X') return;
  size_t command_length = read_proc(pid, "cmdline", command, sizeof command);
  uint8_t buffer[sizeof stat + sizeof command + 64];
  struct writer record = writer_on(buffer, sizeof buffer);
  put_u32(&record, (uint32_t)atoi(pid));
  put_u32(&record, (uint32_t)parent);
  put_bytes(&record, name + 1, (size_t)(end - name - 1));
  put_bytes(&record, command, command_length);
  tell_record(&record);
}

int list_processes(void) {
  DIR *names = opendir("/proc");
  if (!names) return complain(E_STEP_FAILED, "cannot list /proc: %s", strerror(errno));
  for (struct dirent *name; (name = readdir(names));) {
    if (!isdigit((unsigned char)name->d_name[0])) continue;
    pid_t pid = atoi(name->d_name);
    if (pid != getpid() && !process_is_inspector(pid)) tell_process(name->d_name);
  }
  closedir(names);
  return 0;
}
