/** HTTP as the daemon needs it. Jetty is used here and nowhere else. */
@NullMarked
package io.forkd.server.http;

import org.jspecify.annotations.NullMarked;
