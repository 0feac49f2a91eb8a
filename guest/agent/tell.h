/* How an inspector, a forked child of the agent, talks: answers on its output, a complaint on its
   error output. Both are pipes that the agent passes on to the host. */
#pragma once

#include "wire.h"

void tell(const void *data, size_t length);
/* The record with its length before it. */
void tell_record(const struct writer *record);
void tell_flush(void);
/* Says why the inspection cannot be done; returns the code it is to end with. */
int complain(int code, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
