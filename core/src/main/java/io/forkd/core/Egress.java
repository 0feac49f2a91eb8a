package io.forkd.core;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/**
 * Whom a sandbox may reach. Never, whatever this says: the host, the daemon, other sandboxes,
 * private ranges and the metadata address, unless an allowlist names the range.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "policy")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Egress.None.class, name = "none"),
  @JsonSubTypes.Type(value = Egress.Internet.class, name = "internet"),
  @JsonSubTypes.Type(value = Egress.Allowlist.class, name = "allowlist")
})
public sealed interface Egress {
  Egress NONE = new None();
  Egress INTERNET = new Internet();

  /** Nobody. */
  record None() implements Egress {}

  /** Everything that is public. */
  record Internet() implements Egress {}

  /**
   * Only what is named.
   *
   * @param domains host names; {@code *.example.org} stands for all below it, not for itself
   * @param cidrs ranges of addresses, such as {@code 192.0.2.0/24}
   */
  record Allowlist(List<String> domains, List<String> cidrs) implements Egress {
    public Allowlist {
      domains = List.copyOf(domains);
      cidrs = List.copyOf(cidrs);
    }
  }
}
