// Bundled with Vega into the program: draws one chart of a report into its page.
import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { Handler } from "vega-tooltip";

// The interpreter evaluates expressions without `eval`, which the page's Content Security Policy forbids.
globalThis.stallcastCharts = {
  async draw(specification, config, element) {
    const description = vega.parse(compile(specification, { config }).spec, {}, { ast: true });
    const view = new vega.View(description, {
      expr: expressionInterpreter,
      renderer: "svg",
      container: element,
      hover: true,
    });
    view.tooltip(new Handler({ theme: "custom" }).call);
    await view.runAsync();
    return view;
  },
};
