/* TCP connections to programs in the guest, each the other end of a stream of its own. */
#pragma once

#include "streams.h"

void connect_open(struct stream *stream, struct reader in);
/* The host has let go of the stream. What it sent before it said that this was all is still passed on. */
void connection_release(struct connection *connection);
/* Breaks the connection off, which its program is told. */
void connection_abort(struct connection *connection);
/* Whether the program no longer reads: what comes for it is dropped. */
bool connection_deaf(const struct connection *connection);
bool connections_pump(void);
