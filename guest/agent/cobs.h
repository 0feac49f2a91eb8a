/* Consistent overhead byte stuffing: frames without zero bytes, so that a zero always ends one. */
#pragma once

#include "agent.h"

/* Bytes that `length` plain bytes may need, with the closing zero. */
#define COBS_BOUND(length) ((length) + (length) / 254 + 2)

struct cobs_encoder {
  uint8_t *code; /* where the length of the open block goes */
  uint8_t *next;
};

void cobs_begin(struct cobs_encoder *encoder, uint8_t *buffer);
void cobs_add(struct cobs_encoder *encoder, const void *data, size_t length);
/* Closes the frame with its zero and returns the first byte after it. */
uint8_t *cobs_end(struct cobs_encoder *encoder);

enum cobs_event { COBS_MORE, COBS_FRAME, COBS_BAD };

/* Decodes as bytes come; `frame` holds the plain bytes after COBS_FRAME. */
struct cobs_decoder {
  uint8_t frame[MAX_FRAME];
  size_t length;
  uint8_t code;     /* code byte of the open block, 0 before the first */
  uint8_t missing;  /* bytes the open block still lacks */
  bool skipping;    /* a bad frame is being skipped up to its zero */
};

void cobs_reset(struct cobs_decoder *decoder);
/* Takes bytes from *data until a frame ends or the input is used up. */
enum cobs_event cobs_take(struct cobs_decoder *decoder, const uint8_t **data, size_t *length);
