/* Executables of the image that run after every fork, one after the other in name order. */
#pragma once

#include "agent.h"

enum hooks_state { HOOKS_RUNNING, HOOKS_RAN_ONE, HOOKS_FAILED, HOOKS_DONE };

void hooks_begin(void);
/* Goes on as far as it can; `step` names the hook that ran or failed, `message` says why it failed. */
enum hooks_state hooks_pump(char *step, size_t step_size, char *message, size_t message_size);
bool hooks_reaped(pid_t pid, int status);
void hooks_abort(void);
