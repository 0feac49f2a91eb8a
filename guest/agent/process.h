/* Processes run for the host: output to its stream, input from it, and how they ended. */
#pragma once

#include "streams.h"

void process_open(struct stream *stream, struct reader in);
/* The stream is gone: output is discarded from now on; `kill_group` also ends the process. */
void process_detach(struct process *process, bool kill_group);
void process_kill(struct process *process);
bool process_stdin_closed(const struct process *process);
/* Takes the exit status of a process that is ours; false when it is not. */
bool process_reaped(pid_t pid, int status);
bool processes_pump(void);
/* Kills every process group, for the end of a test run. */
void processes_kill_all(void);
