/* Jobs: processes that belong to the guest and not to the stream that started them. Any number of
   streams may listen to one or write to it; it goes on without them and is remembered after its end. */
#pragma once

#include "streams.h"

/* Streams of kinds 10 to 12. */
void job_open(struct stream *stream, struct reader in);
void job_open_attach(struct stream *stream, struct reader in);
void job_open_control(struct stream *stream, struct reader in);
/* The stream goes away, whether it had to do with a job or not; the job stays. */
void job_let_go(struct stream *stream);
/* Kills the job a stream listens to, or ends what else the stream does. */
void job_cancel(struct stream *stream);
/* Takes the exit status of a job; false when it is none. */
bool job_reaped(pid_t pid, int status);
bool jobs_pump(void);
/* Kills every job's group, for the end of a test run. */
void jobs_kill_all(void);
