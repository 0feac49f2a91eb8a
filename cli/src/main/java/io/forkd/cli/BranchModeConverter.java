package io.forkd.cli;

import io.forkd.base.Printable;
import io.forkd.client.BranchMode;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how a branch is to be taken. */
final class BranchModeConverter implements ITypeConverter<BranchMode> {
  @Override
  public BranchMode convert(String text) {
    return Arrays.stream(BranchMode.values())
        .filter(mode -> mode.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is not a mode: use full, diff or live"
                        .formatted(Printable.shorten(text))));
  }
}
