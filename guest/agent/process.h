/* Processes run for the host, programs and inspectors: output to its stream, input from it, and how
   they ended. */
#pragma once

#include "streams.h"

/* Runs a program; one that cannot be started ends the stream as a shell would. */
void process_launch(struct stream *stream, char **argv, char **env, const char *cwd, bool with_stdin);
/* Does the work in a forked child with pipes as its standard streams. It returns 0, which ends the
   stream with an empty RESULT, or an error code for a RESET with what it wrote as its complaint. */
void process_fork(struct stream *stream, bool with_stdin, int (*work)(const void *), const void *argument);
/* Whether this process is at such work. */
bool process_is_inspector(pid_t pid);
/* The stream is gone: output is discarded from now on; `kill_group` also ends the process. */
void process_detach(struct process *process, bool kill_group);
void process_kill(struct process *process);
bool process_stdin_closed(const struct process *process);
/* Takes the exit status of a process that is ours; false when it is not. */
bool process_reaped(pid_t pid, int status);
bool processes_pump(void);
/* Kills every process group, for the end of a test run. */
void processes_kill_all(void);
