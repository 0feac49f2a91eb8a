/* The names by which a guest and its programs know themselves. All return -1 with errno on failure. */
#pragma once

int names_set_hostname(const char *hostname);
int names_set_machine_id(const char *machine_id);
int names_set_boot_id(const char *boot_id);
int names_set_sandbox_id(const char *sandbox_id);
