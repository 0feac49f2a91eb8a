/* What an exec stream asks for: a program, its environment and its folder. */
#pragma once

#include "streams.h"

void exec_open(struct stream *stream, struct reader in);
