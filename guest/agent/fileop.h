/* What the host does with the guest's files. */
#pragma once

#include "streams.h"

void file_open(struct stream *stream, struct reader in);
