/* Pseudo-terminals. */
#pragma once

#include "account.h"

/* Opens both ends, ours first, of a terminal that belongs to the user; 0, or -1 with errno. */
int terminal_open(const struct account *account, uint16_t columns, uint16_t rows, int ends[2]);
int terminal_resize(int fd, uint16_t columns, uint16_t rows);
