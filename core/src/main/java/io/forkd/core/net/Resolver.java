package io.forkd.core.net;

import io.forkd.core.net.DnsMessage.Answer;
import io.forkd.core.net.DnsMessage.Rcode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Answers one sandbox's queries as its policy has it: names that are not allowed are refused, and
 * addresses that no name may point to are left out.
 */
final class Resolver {
  private static final int MOST_ALIASES = 16;
  private static final int MOST_ADDRESSES = 64;
  private static final long LONGEST_TTL = Duration.ofHours(1).toSeconds();

  private final NamePolicy policy;
  private final Upstream upstream;

  Resolver(NamePolicy policy, Upstream upstream) {
    this.policy = policy;
    this.upstream = upstream;
  }

  /** The answer, or none to what is not a query at all. */
  Optional<byte[]> answer(byte[] message, boolean udp) {
    DnsMessage query;
    try {
      query = DnsMessage.parse(message);
    } catch (DnsFormatException e) {
      boolean readable = message.length >= DnsMessage.HEADER && message[2] >= 0;
      return readable ? Optional.of(DnsReply.formatError(message)) : Optional.empty();
    }
    if (query.isResponse()) {
      return Optional.empty();
    }
    return Optional.of(reply(query).bytes(udp));
  }

  private DnsReply reply(DnsMessage query) {
    DnsMessage.Question question = query.question();
    if (query.opcode() != 0 || question.type() >= DnsMessage.FIRST_QUERY_TYPE) {
      return DnsReply.of(query, Rcode.NOT_IMPLEMENTED);
    }
    Reach reach = policy.reach();
    if (question.kind() != DnsMessage.IN || !reach.answers(question.name().text())) {
      return DnsReply.of(query, Rcode.REFUSED);
    }
    try {
      return switch (question.type()) {
        // There is no IPv6, and service records may carry addresses.
        case DnsMessage.TYPE_AAAA, DnsMessage.TYPE_SVCB, DnsMessage.TYPE_HTTPS ->
            DnsReply.of(query, Rcode.OK);
        case DnsMessage.TYPE_A -> addresses(query, upstream.ask(question), reach);
        default -> records(query, upstream.ask(question));
      };
    } catch (IOException | DnsFormatException e) {
      Log.NET.debug("no answer for {}: {}", question.name(), e.toString());
      return DnsReply.of(query, Rcode.FAILED);
    }
  }

  /** Follows the aliases from the name that was asked for; all other records are left out. */
  private DnsReply addresses(DnsMessage query, DnsMessage found, Reach reach)
      throws DnsFormatException {
    DnsReply reply = DnsReply.of(query, found.rcode());
    DnsName name = query.question().name();
    for (int i = 0; i < MOST_ALIASES; i++) {
      Optional<Answer> alias = aliasOf(found, name);
      if (alias.isEmpty()) {
        break;
      }
      DnsName target = found.target(alias.get());
      reply.alias(name, ttl(alias.get()), target);
      name = target;
    }
    Map<Long, Duration> grants = new LinkedHashMap<>();
    int kept = 0;
    for (Answer record : found.answers()) {
      if (record.type() != DnsMessage.TYPE_A || !isOf(record, name) || kept == MOST_ADDRESSES) {
        continue;
      }
      long address = found.address(record);
      if (reach.mayPointTo(address)) {
        reply.address(name, ttl(record), address);
        kept++;
        grants.merge(address, Duration.ofSeconds(ttl(record)), Resolver::longer);
      }
    }
    return policy.grant(query.question().name().text(), grants)
        ? reply
        : DnsReply.of(query, Rcode.FAILED);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  private static Optional<Answer> aliasOf(DnsMessage found, DnsName name) {
    return found.answers().stream()
        .filter(record -> record.type() == DnsMessage.TYPE_CNAME && isOf(record, name))
        .findFirst();
  }

  private static boolean isOf(Answer record, DnsName name) {
    return record.kind() == DnsMessage.IN && record.name().equals(name);
  }

  private static long ttl(Answer record) {
    return Math.min(record.ttl(), LONGEST_TTL);
  }

  /** Records without addresses, as they came; what stood beside them is left out. */
  private static DnsReply records(DnsMessage query, DnsMessage found) throws DnsFormatException {
    for (Answer record : found.answers()) {
      if (record.type() == DnsMessage.TYPE_A || record.type() == DnsMessage.TYPE_AAAA) {
        throw new DnsFormatException("an address nobody asked for");
      }
    }
    return DnsReply.of(query, found.rcode()).answersOf(found);
  }
}
