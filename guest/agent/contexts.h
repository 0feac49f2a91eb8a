/* The contexts of this guest: which there are, and making, restarting and ending them. */
#pragma once

#include "streams.h"

#define MAX_CONTEXTS 32

struct runtime;

/* Makes the default contexts; before anything else here. */
void contexts_init(void);
/* The slots; one that is free has no id. */
struct runtime *context_at(int index);
/* How many slots may be taken: every one from here on is free. */
int contexts_in_use(void);
/* The context of this id, or NULL. */
struct runtime *context_find(const char *id);
/* Whether the guest has what runs this context's language. */
bool context_available(const struct runtime *context);
/* Starts a context that is stopped; false when it cannot, with the code and complaint that say why. */
bool context_start(struct runtime *context, uint16_t *code, char *complaint, size_t size);
/* Forgets a context whose kernel is dead; a default one is then as it was at first. */
void context_release(struct runtime *context);
/* KIND_CONTEXT. */
void context_open(struct stream *stream, struct reader in);
/* Answers one who waited for a context to be ready, or to be gone. */
void context_answer(struct runtime *context, struct stream *stream);
