/* One job's insides, shared by the files that serve it. */
#pragma once

#include "jobs.h"
#include "loop.h"
#include "ring.h"

struct job {
  uint64_t number; /* rises from job to job */
  pid_t pid;       /* also its session and group */
  bool terminal;
  bool exited; /* the process is dead; output may still come */
  bool ended;  /* no more output comes */
  bool timed_out;
  bool deaf; /* nobody reads its input any more */
  int status;
  int64_t started_ns; /* wall clock */
  int64_t kill_at;    /* 0: never */
  int64_t drained_at; /* when output need no longer be waited for; 0 until it is dead */
  int64_t ended_at;
  size_t read_since_exit;
  struct watch in;
  struct watch out[2];      /* of a terminal only the first, for both ways */
  struct ring *ring;        /* NULL until there is output */
  struct stream *listeners; /* who gets the output */
  struct stream *writers;   /* who gives input */
  char *tag;
  uint8_t *description; /* the part of its record in a list that never changes */
  size_t description_length;
};

/* job.c: the table. */
/* A job for a process that is about to be started; NULL, with the stream ended, when there are too many. */
struct job *job_new(struct stream *stream);
/* The process runs: the job is in the table from now on. */
void job_add(struct job *job);
void job_free(struct job *job);
/* The newest with this pid, or when that is 0 with this tag; NULL when there is none. */
struct job *job_find(uint32_t pid, const char *tag);
/* The first that was started after this one; NULL when there is none. */
struct job *job_after(uint64_t number);
void job_kill(struct job *job, int signal);
void job_unlink(struct stream **list, struct stream *stream);
void job_link(struct stream **list, struct stream *stream);
/* Writes how it ended, as RESULT says it; a job that runs is exit 0. */
void job_put_end(const struct job *job, struct writer *out);

/* listen.c: output. */
void listen_to(struct job *job, struct stream *stream, bool replay);
bool listeners_pump(struct job *job);

/* input.c: input. */
void input_open(struct job *job, struct stream *stream);
void input_close(struct job *job, struct stream *stream);
bool inputs_pump(struct job *job);

/* joblist.c */
void list_open(struct stream *stream);
void list_let_go(struct stream *stream);
bool lists_pump(void);
