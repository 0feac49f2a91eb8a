package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Records out of the bytes of an inspection, read as they come and bounded in number and in what
 * they take of the heap: whatever a guest tells is kept here.
 */
final class Records<T> implements InspectCall.Sink {
  static final int MOST_RECORDS = 250_000;
  static final long MOST_HEAP = 96L << 20;
  static final int LONGEST_RECORD = 16 * 1024;

  /** Reads one record. */
  interface Reading<T> {
    T read(Fields fields) throws NonsenseException;
  }

  private final Reading<T> reading;
  private final ToLongFunction<T> heap;
  private final List<T> records = new ArrayList<>();
  private final RecordCutter cutter;
  private long heapTaken;

  /**
   * @param heap about how many bytes of the heap a record takes
   */
  Records(Reading<T> reading, ToLongFunction<T> heap) {
    this(reading, heap, LONGEST_RECORD);
  }

  Records(Reading<T> reading, ToLongFunction<T> heap, int longest) {
    cutter = new RecordCutter(longest);
    this.reading = reading;
    this.heap = heap;
  }

  @Override
  public void take(byte[] data) throws NonsenseException {
    cutter.add(data, this::add);
  }

  private void add(byte[] plain) throws NonsenseException {
    if (records.size() == MOST_RECORDS) {
      throw tooMuch("%d entries".formatted(MOST_RECORDS));
    }
    Fields fields = new Fields(plain);
    T one = reading.read(fields);
    fields.end();
    heapTaken += heap.applyAsLong(one);
    if (heapTaken > MOST_HEAP) {
      throw tooMuch("%d MiB of names".formatted(MOST_HEAP >> 20));
    }
    records.add(one);
  }

  private static ForkdException tooMuch(String limit) {
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "The guest tells of more than %s. That is more than forkd compares; remove files there."
            .formatted(limit));
  }

  /** All of them, once the guest has said that it is done. */
  List<T> whole() throws NonsenseException {
    if (cutter.isTorn()) {
      throw new NonsenseException("the last record is torn");
    }
    return records;
  }
}
