/* From a bare kernel to a served guest: file systems, modules, the overlay root. */
#pragma once

/* Prepares the guest this process is PID 1 of. Powers the machine off when that cannot be done. */
void boot(void);
/* The virtio port named forkd.agent, opened; waits for it as long as it takes. */
int boot_open_port(void);
