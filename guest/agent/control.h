/* Stream 0: greetings, signs of life, and everything that concerns the guest as a whole. */
#pragma once

#include "channel.h"

void control_frame(const struct frame *frame);
void control_failed(uint64_t token, uint16_t code, const char *step, const char *message);
