package io.forkd.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Whom a sandbox may reach: nobody, the public internet, or only those named.
 *
 * @param policy {@code none}, {@code internet} or {@code allowlist}
 * @param domains host names; {@code *.example.org} stands for all below it
 * @param cidrs ranges of IPv4 addresses, or single ones
 */
public record EgressPolicy(String policy, List<String> domains, List<String> cidrs) {
  public static final EgressPolicy NONE = new EgressPolicy("none", List.of(), List.of());
  public static final EgressPolicy INTERNET = new EgressPolicy("internet", List.of(), List.of());

  private static final String ALLOW = "allow:";

  public EgressPolicy {
    domains = List.copyOf(domains);
    cidrs = List.copyOf(cidrs);
  }

  public static EgressPolicy allowlist(List<String> domains, List<String> cidrs) {
    return new EgressPolicy("allowlist", domains, cidrs);
  }

  /** From {@code none}, {@code internet} or {@code allow:host,*.host,192.0.2.0/24}. */
  public static EgressPolicy parse(String text) {
    if (text.equals(NONE.policy)) {
      return NONE;
    }
    if (text.equals(INTERNET.policy)) {
      return INTERNET;
    }
    if (!text.startsWith(ALLOW) || text.length() == ALLOW.length()) {
      throw new ForkdClientException(
          400,
          "'%s' is no egress policy: use none, internet or allow:HOST,*.HOST,CIDR."
              .formatted(text));
    }
    List<String> domains = new ArrayList<>();
    List<String> cidrs = new ArrayList<>();
    for (String entry : text.substring(ALLOW.length()).split(",", -1)) {
      (entry.matches("[0-9./]+|.*/.*") ? cidrs : domains).add(entry);
    }
    return allowlist(domains, cidrs);
  }

  static EgressPolicy from(JsonObject json) {
    return new EgressPolicy(json.text("policy"), json.texts("domains"), json.texts("cidrs"));
  }

  Object toJson() {
    return policy.equals("allowlist")
        ? JsonObject.ofPairs("policy", policy, "domains", domains, "cidrs", cidrs)
        : policy;
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    List<String> all = new ArrayList<>(domains);
    all.addAll(cidrs);
    return policy.equals("allowlist") ? ALLOW + String.join(",", all) : policy;
  }
}
