/* Descriptor numbers: the agent's sockets are many and live above those its children may use, so that
   neither takes any from the other. */
#pragma once

#include "agent.h"

/* Takes all the descriptors this process may have. */
void descriptors_init(void);
/* Moves a descriptor out of the children's range, where there is another; keeps -1 and errno. */
int descriptor_apart(int fd);
/* Whether what is started now gets the limit that the agent itself was given. */
void descriptors_as_given(bool given);
/* As many as there may be: a walk holds descriptors for every folder on its way. */
void descriptors_allow_most(void);
