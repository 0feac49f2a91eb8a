package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RichResultTest {
  @RegisterExtension static final RunningAgent guest = new RunningAgent(HostAgent::start);

  @Test
  void givesEveryFormatAValueHas() {
    Map<String, String> formats =
        run("""
        class Rich:
            def __repr__(self): return 'plain'
            def _repr_html_(self): return '<b>bold</b>'
            def _repr_markdown_(self): return '**bold**'
            def _repr_svg_(self): return '<svg/>'
            def _repr_png_(self): return b'\\x89PNG'
            def _repr_jpeg_(self): return b'\\xff\\xd8', {'width': 3}
            def _repr_latex_(self): return '$x$'
            def _repr_json_(self): return {'a': [1, None]}
            def _repr_javascript_(self): return 'alert(1)'
            def _repr_pdf_(self): return b'%PDF'
        Rich()
        """)
            .formats();
    assertThat(formats)
        .containsOnly(
            Map.entry("text", "plain"),
            Map.entry("html", "<b>bold</b>"),
            Map.entry("markdown", "**bold**"),
            Map.entry("svg", "<svg/>"),
            Map.entry("png", "iVBORw=="),
            Map.entry("jpeg", "/9g="),
            Map.entry("latex", "$x$"),
            Map.entry("json", "{\"a\": [1, null]}"),
            Map.entry("javascript", "alert(1)"),
            Map.entry("pdf", "JVBERg=="));
  }

  @Test
  void takesAMimeBundleAndForgivesMethodsThatFail() {
    Map<String, String> formats =
        run("""
        class Bundle:
            def __repr__(self): return 'bundle'
            def _repr_mimebundle_(self, include, exclude):
                return {'text/html': '<i>', 'application/json': [1], 'x/unknown': 'y'}, {}
            def _repr_html_(self): raise TypeError('not asked')
            def _repr_png_(self): raise TypeError('no picture')
            def __getattr__(self, name): return lambda: 3
        Bundle()
        """)
            .formats();
    assertThat(formats)
        .containsEntry("text", "bundle")
        .containsEntry("html", "<i>")
        .containsEntry("json", "[1]")
        .doesNotContainKeys("png", "markdown");
    assertThat(run("class Plain: _repr_html_ = lambda self: '<b>'\nPlain").formats())
        .containsOnlyKeys("text");
    assertThat(run("{'a': 1}").formats()).isEqualTo(Map.of("text", "{'a': 1}"));
  }

  @Test
  void dropsAFormatThatIsTooLong() {
    Map<String, String> formats =
        run("class Long:\n    def _repr_html_(self): return 'x' * 30_000_000\nLong()").formats();
    assertThat(formats).containsOnlyKeys("text");
    assertThat(run("'x' * 30_000_000").value().orElseThrow()).endsWith("dropped]");
  }

  @Test
  void showsFiguresAsPicturesAndOnlyOnce() throws IOException {
    Executed shown =
        run(
            """
            import matplotlib.pyplot as plt
            plt.plot([1, 2, 3])
            plt.title('one')
            plt.show()
            print('between')
            plt.figure(); plt.plot([3, 2, 1]);
            """);
    assertThat(shown.stderr()).isEmpty();
    assertThat(shown.results()).hasSize(2).noneMatch(CodeEvent.Result::main);
    for (CodeEvent.Result result : shown.results()) {
      byte[] png = Base64.getDecoder().decode(result.formats().get("png"));
      assertThat(ImageIO.read(new ByteArrayInputStream(png)).getWidth()).isGreaterThan(100);
    }
    int first = shown.events().indexOf(shown.results().get(0));
    int second = shown.events().indexOf(shown.results().get(1));
    assertThat(new Executed(shown.events().subList(first, second)).stdout()).isEqualTo("between\n");
    assertThat(run("1").results()).hasSize(1);
    Executed value = run("figure, axes = plt.subplots()\naxes.plot([1])\nfigure");
    assertThat(value.results()).hasSize(1);
    assertThat(value.formats()).containsKeys("text", "png");
    assertThat(value.results().getFirst().main()).isTrue();
    assertThat(run("plt.get_fignums()").value()).contains("[]");
  }

  @Test
  void showsTablesAsHtml() {
    Map<String, String> formats =
        run("import pandas as pd\npd.DataFrame({'name': ['Ada'], 'born': [1815]})").formats();
    assertThat(formats.get("html")).contains("<table", "<th>born</th>", "<td>Ada</td>");
    assertThat(formats.get("text")).contains("Ada  1815");
  }

  private static Executed run(String code) {
    Executed executed = Executed.run(guest.agent(), "python", code);
    assertThat(executed.failed()).as(executed.events().toString()).isFalse();
    return executed;
  }
}
