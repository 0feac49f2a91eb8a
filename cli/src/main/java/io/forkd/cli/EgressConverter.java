package io.forkd.cli;

import io.forkd.client.EgressPolicy;
import io.forkd.client.ForkdClientException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code none}, {@code internet} and {@code allow:HOST,*.HOST,CIDR}. */
final class EgressConverter implements ITypeConverter<EgressPolicy> {
  @Override
  public EgressPolicy convert(String text) {
    try {
      return EgressPolicy.parse(text);
    } catch (ForkdClientException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
