/* One runtime kernel's insides, shared by the files that serve it. */
#pragma once

#include "loop.h"
#include "contexts.h"
#include "runtime.h"

/* The signal that makes a kernel look at its fork channel, also in the middle of a request. A number
   and not a name, because C libraries disagree about SIGRTMIN. */
#define FORK_SIGNAL 50

#define MAX_CWD 1024

/* What runs the code of one language. */
struct language {
  const char *name;
  const char *script;      /* the kernel, a file in the run folder */
  const char *command[10]; /* the interpreter, looked up in PATH, and what goes before the script */
  const char *needs;       /* a program that must be there too; NULL for none */
  bool takes_signal;       /* FORK_SIGNAL announces a reseed; others have a thread that waits for it */
};

/* A context: a kernel, or the place for one, with an id of its own. */
struct runtime {
  char id[32]; /* "" when the slot is free */
  const struct language *language;
  char cwd[MAX_CWD]; /* "" means home */
  enum { STOPPED, STARTING, READY } state;
  enum { STAYS, RESTARTS, GOES } fate; /* what happens when the kernel that is being killed is dead */
  pid_t pid;
  struct watch requests; /* the kernel's descriptor 3: one request, one answer */
  struct watch forks;    /* the kernel's descriptor 4: reseeds */
  bool busy;             /* a request is out and unanswered */
  struct stream *current; /* whose request it is; NULL when its stream is gone */
  uint32_t body_left;     /* bytes of the request not yet written */
  uint8_t prefix[4];      /* length before the answer, as far as it came */
  uint8_t prefix_read;
  uint32_t answer_left;   /* of an answer, or of an event that comes before it */
  bool event;
  int64_t kill_at;  /* 0, or when an interrupted request has had its time */
  int64_t nag_at;   /* 0, or when it is interrupted again */
  bool cancelled;   /* killed because it did not heed the interrupt */
  bool state_lost;  /* it died and nobody has been told yet */
  bool died_starting; /* its last end came before it was ready */
  bool was_ready;     /* it has been ready once: who made the context knows it */
  bool bereaved;      /* it died and those who waited for it have not all been told yet */
  int status;         /* how it ended last */
  char greeting[1024]; /* what the kernel said when it was ready */
  size_t greeting_length;
  struct reseed reseed;
  char fork_request[512]; /* the reseed on its way, kept until the kernel can take it */
  size_t fork_request_left, fork_request_length;
  uint8_t fork_answer[4 + 4096];
  size_t fork_answer_length;
  uint32_t fork_number;
};

bool kernel_start(struct runtime *runtime, char *complaint, size_t size);
/* Kills the kernel for what it did wrong; its death is handled when it is reaped. */
void kernel_kill(struct runtime *runtime, const char *why);
/* Moves bytes of the current request and its answer. */
bool kernel_pump(struct runtime *runtime);
bool reseed_pump(struct runtime *runtime);
/* The kernel is gone: a reseed that waits for it has failed. */
void reseed_died(struct runtime *runtime);
