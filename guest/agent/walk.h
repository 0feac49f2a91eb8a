/* The walk over what was written in this guest, or over all its files. */
#pragma once

#include "agent.h"

/* Tells every entry of the overlay's upper layer and of every tmpfs, or with `everything` of the
   whole root file system and every tmpfs; 0 or the code to end with. */
int walk_files(bool everything);
