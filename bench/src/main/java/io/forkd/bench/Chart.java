package io.forkd.bench;

import java.time.temporal.ChronoUnit;
import java.util.List;

/** A picture of panels under a title, with notes below. */
record Chart(String title, String subtitle, List<BarPanel> panels, List<String> notes) {
  private static final int WIDTH = 960;
  private static final int TOP = 92;
  private static final int GAP = 20;
  private static final int NOTE = 18;

  Chart {
    panels = List.copyOf(panels);
    notes = List.copyOf(notes);
  }

  /** The note that says where and when. */
  static String imprint(Machine machine) {
    return "%s, Linux %s, %s"
        .formatted(machine.cpu(), machine.kernel(), machine.when().truncatedTo(ChronoUnit.SECONDS));
  }

  String svg() {
    Svg svg = new Svg();
    svg.text(28, 40, "title", title);
    svg.text(28, 64, "subtitle", subtitle);
    int y = TOP;
    for (BarPanel panel : panels) {
      panel.draw(svg, y);
      y += panel.height() + GAP;
    }
    for (String note : notes) {
      svg.text(28, y, "note", note);
      y += NOTE;
    }
    return svg.document(WIDTH, y + 10, title);
  }
}
