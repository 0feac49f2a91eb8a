/* The byte channel to the host: frames out of a bounded buffer, frames in one at a time. */
#pragma once

#include "agent.h"
#include "wire.h"

struct frame {
  uint8_t type;
  uint8_t flags;
  uint32_t stream;
  const uint8_t *payload;
  size_t length;
};

int channel_open(int fd);
bool channel_is_open(void);
/* Whether a frame of this payload fits and room for one answer to the host stays free. */
bool channel_has_room(size_t payload);
/* Queues a frame; callers have checked the room, a frame that does not fit ends the connection. */
void channel_send(uint8_t type, uint8_t flags, uint32_t stream, const void *payload, size_t length);
void channel_send_writer(uint8_t type, uint32_t stream, const struct writer *payload);
/* Drops all queued output and starts afresh with a zero byte. */
void channel_restart_output(void);
/* Tells the host why, then ignores everything up to its next HELLO. */
void channel_violated(const char *why);
/* Moves bytes both ways; returns whether anything moved. */
bool channel_pump(void);
