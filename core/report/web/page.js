// Comfort on a report's page; everything can be read without it. Charts answer a pointer and keys where the bundle with
// Vega is there (stallcastCharts), and can be taken out as SVG, PNG and CSV in any case.
(() => {
  "use strict";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const told = document.getElementById("told");
  const make = (name, properties = {}, children = []) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // ---- Taking things out
  const save = (blob, name) => {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  const svgText = (drawing, styles) => {
    const copy = drawing.cloneNode(true);
    const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
    style.textContent = styles.map((id) => document.getElementById(id).textContent).join("");
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of [
      ["class", "ground"],
      ["width", "100%"],
      ["height", "100%"],
    ])
      ground.setAttribute(name, value);
    copy.prepend(style, ground);
    return new XMLSerializer().serializeToString(copy);
  };

  const saveSvg = (chart) =>
    save(
      new Blob([svgText(chart.drawing, ["chart-style", "chart-style-dark"])], { type: "image/svg+xml" }),
      `${chart.file}.svg`,
    );

  const savePng = async (chart) => {
    const { width, height } = chart.drawing.viewBox.baseVal;
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svgText(chart.drawing, ["chart-style"]));
    await image.decode();
    const canvas = make("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${chart.file}.png`), "image/png");
  };

  const saveCsv = (chart) => save(new Blob([chart.csv], { type: "text/csv" }), `${chart.file}.csv`);

  // ---- Charts
  const charts = [...document.querySelectorAll("figure.chart")]
    .filter((figure) => figure.querySelector(".chart-data"))
    .map((figure) => ({
      ...JSON.parse(figure.querySelector(".chart-data").textContent),
      figure,
      scroll: figure.querySelector(".scroll"),
      drawing: figure.querySelector("svg"),
      view: null,
    }));

  for (const chart of charts) {
    const title = chart.figure.querySelector("figcaption > span").textContent.slice(0, 100);
    const tools = chart.figure.querySelector(".tools");
    for (const [name, action] of [
      ["SVG", saveSvg],
      ["PNG", savePng],
      ["CSV", saveCsv],
    ]) {
      const button = make("button", { type: "button", textContent: name, onclick: () => action(chart) });
      button.setAttribute("aria-label", `Save as ${name}: ${title}`);
      tools.append(button);
    }
  }

  // The same thing stands out in every chart that shows it; charts without it stay as they are.
  const highlight = (key) => {
    for (const chart of charts) {
      const shown = key !== "" && chart.vega.data.values.some((datum) => datum.key === key) ? key : "";
      if (chart.view && chart.view.signal("hot") !== shown) chart.view.signal("hot", shown).runAsync();
    }
  };

  const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const paletteOf = (css, property) =>
    [...css.matchAll(new RegExp(`\\.f\\d+\\{${property}:(#[0-9a-f]+)`, "g"))].map((match) => match[1]);
  const lightColours = paletteOf(document.getElementById("chart-style").textContent, "fill");
  const darkColours = paletteOf(document.getElementById("chart-style-dark").textContent, "fill");
  // Names of rows on two lines where there is little room.
  const onTwoLines = String.raw`split(replace(datum.label, regexp('(.{7,16}) ', ''), '$1\n'), '\n')`;
  const adapted = (specification, narrow) =>
    JSON.parse(JSON.stringify(specification), function (name, value) {
      if (dark.matches && name === "range")
        return value.map((colour) => darkColours[lightColours.indexOf(colour)] ?? colour);
      if (dark.matches && name === "ink") return this.ink_dark;
      if (narrow && name === "axis" && this.field === "row")
        return { ...value, labelExpr: onTwoLines, labelLineHeight: 12 };
      return value;
    });

  const isNarrow = (width) => width < 560;
  // Names of series in the legend; none where there is only one.
  const namesOf = (specification) =>
    specification.layer.find(({ encoding }) => encoding.color?.scale?.domain).encoding.color.scale.domain;

  const rowsOf = (specification) => specification.data.values.flatMap(({ row }) => row ?? []);
  const widthOf = (texts) => 6.8 * Math.max(0, ...texts.map((text) => text.length));

  const configFor = (width, names, rows) => {
    const ink = colourOf("--ink"),
      muted = colourOf("--muted"),
      edge = colourOf("--edge");
    const narrow = isNarrow(width);
    const axisLabelLimit = narrow ? 0.36 * width : 260;
    // The legend begins where the drawing does, right of the names of rows or the numbers.
    const beside = Math.max(60, Math.min(axisLabelLimit, widthOf(rows)) + 30);
    const longest = Math.min(340, widthOf(names) + 40);
    const columns = Math.max(1, Math.floor((width - beside) / longest));
    return {
      aria: false,
      background: null,
      font: "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif",
      view: { stroke: null },
      axis: {
        labelColor: muted,
        titleColor: muted,
        titleFontWeight: "normal",
        labelFontSize: 12,
        titleFontSize: 12,
        gridColor: edge,
        domainColor: muted,
        tickColor: muted,
        labelLimit: axisLabelLimit,
        titleLimit: width - 20,
        labelOverlap: true,
        labelFlush: false,
      },
      axisXQuantitative: { tickCount: narrow ? 4 : 8 },
      axisYQuantitative: { tickCount: 6 },
      legend: {
        labelColor: ink,
        labelFontSize: 12,
        labelLimit: Math.min(longest, width - beside - 20),
        symbolType: "square",
        columns,
        symbolOpacity: 1,
      },
      text: { color: ink, fontSize: 12 },
      rule: { color: ink },
      tick: { color: ink },
    };
  };

  const walkByKeys = (chart) => {
    let at = -1;
    chart.live.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const data = chart.vega.data.values;
      if (!step && event.key !== "Escape") return;
      event.preventDefault();
      at = step ? (at + step + data.length) % data.length : -1;
      chart.told.textContent = at < 0 ? "" : data[at].about;
      highlight(at < 0 ? "" : data[at].key);
    });
    chart.live.addEventListener("blur", () => {
      at = -1;
      chart.told.textContent = "";
      highlight("");
    });
  };

  const makeLive = (chart) => {
    chart.live = make("div", { className: "live", tabIndex: 0 });
    chart.live.setAttribute("role", "group");
    chart.live.setAttribute(
      "aria-label",
      `${chart.drawing.querySelector("desc").textContent} Arrow keys go through the data.`,
    );
    chart.told = make("p", { className: "told" });
    chart.told.setAttribute("role", "status");
    chart.scroll.after(chart.live, chart.told);
    walkByKeys(chart);
  };

  const draw = async (chart) => {
    if (!chart.live) makeLive(chart);
    chart.scroll.hidden = false;
    const place = make("div");
    place.setAttribute("aria-hidden", "true"); // the group around it says what there is to say
    chart.live.replaceChildren(place);
    const width = place.clientWidth;
    chart.view?.finalize();
    chart.view = null;
    try {
      chart.view = await stallcastCharts.draw(
        adapted(chart.vega, isNarrow(width)),
        configFor(width, namesOf(chart.vega), rowsOf(chart.vega)),
        place,
      );
      chart.view.addEventListener("pointerover", (event, item) => highlight(item?.datum?.key ?? ""));
      chart.view.addEventListener("pointerout", () => highlight(""));
      chart.scroll.hidden = true;
    } catch (error) {
      console.error(error);
      chart.live.remove();
      chart.told.remove();
      chart.live = null;
    }
  };

  const drawAll = async () => {
    for (const chart of charts) await draw(chart);
    document.documentElement.dataset.charts = "live";
  };
  if (globalThis.stallcastCharts) {
    drawAll();
    dark.addEventListener("change", drawAll);
  }

  // ---- The rest
  const results = document.getElementById("results-file");
  results.append(
    make("a", {
      className: "file",
      download: "results.json",
      textContent: "results.json",
      href: URL.createObjectURL(
        new Blob([document.getElementById("results").textContent], { type: "application/json" }),
      ),
    }),
    " with every number of this report",
  );
  results.hidden = false;

  for (const button of document.querySelectorAll("button.copy")) {
    const code = button.closest(".code").querySelector("pre");
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        told.textContent = button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        told.textContent = button.textContent = "Selected";
      }
    });
  }

  // Only what does scroll is a stop on the way by keys.
  const scrolling = new ResizeObserver((entries) => {
    for (const { target } of entries)
      target.tabIndex =
        target.scrollWidth > target.clientWidth + 1 || target.scrollHeight > target.clientHeight + 1 ? 0 : -1;
  });
  for (const region of document.querySelectorAll(".scroll")) scrolling.observe(region);

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.code:not([open])")];
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });
})();
