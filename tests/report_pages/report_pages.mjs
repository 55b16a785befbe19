// node report_pages.mjs FOLDER BROWSER PAGE: looks at a report as its readers do. FOLDER has playwright-core and
// axe-core in node_modules; pictures of what was seen go to FOLDER/seen.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, browserPath, pagePath] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(folder, "package.json"));
const { chromium } = require("playwright-core");
const seen = join(folder, "seen");
mkdirSync(seen, { recursive: true });
const address = pathToFileURL(pagePath).href;
const withCharts = readFileSync(pagePath, "utf8").includes("globalThis.stallcastCharts=");
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
});

// A page in a context of its own; whatever it logs or asks for is kept.
const open = async (options) => {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage();
  const told = [],
    asked = [];
  page.on("console", (message) => told.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => told.push(`error: ${error.message}`));
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url !== address && !url.startsWith("data:") && !url.startsWith("blob:")) asked.push(url);
    return route.continue();
  });
  await page.addInitScript(() => {
    window.failures = [];
    window.fail = (what) => window.failures.push(String(what));
  });
  await page.goto(address);
  const scripts = options.javaScriptEnabled !== false;
  if (scripts && withCharts) await page.waitForFunction("document.documentElement.dataset.charts === 'live'");
  const check = async (where) => {
    assert.deepEqual(told, [], `${where}: the console is silent`);
    assert.deepEqual(asked, [], `${where}: nothing is asked for`);
    if (scripts) assert.deepEqual(await page.evaluate("window.failures"), [], `${where}: hostile text stays text`);
    const wide = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      parts: [...document.querySelectorAll("main *")]
        .filter(
          (e) =>
            !e.closest("svg, .scroll, .unseen, .long, .live, .contents") &&
            e.getBoundingClientRect().right > innerWidth + 1,
        )
        .map((e) => e.outerHTML.slice(0, 100)),
    }));
    assert.ok(wide.page <= 0, `${where}: the page is ${wide.page} px too wide`);
    assert.deepEqual(wide.parts, [], `${where}: nothing stands out at the right`);
  };
  return { context, page, check };
};

const download = async (page, action) => {
  const [file] = await Promise.all([page.waitForEvent("download"), action()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
};

const tests = {
  async "desktop, light: the first section is seen at once"() {
    const { context, page, check } = await open({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
    await page.screenshot({ path: join(seen, "desktop.png") });
    await check("desktop");
    const bottom = await page
      .locator("main section")
      .first()
      .evaluate((e) => e.getBoundingClientRect().bottom);
    assert.ok(bottom <= 800, `the first section ends at ${bottom}`);
    await context.close();
  },

  async "no part of the page is hard to use for anybody (axe-core)"() {
    for (const colorScheme of ["light", "dark"])
      for (const width of [1280, 390]) {
        const { context, page, check } = await open({ viewport: { width, height: 800 }, colorScheme });
        await page.evaluate(() => document.querySelectorAll("details").forEach((e) => (e.open = true)));
        await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
        const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
        const bad = result.violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(
            ({ id, nodes }) =>
              `${id}: ${nodes
                .slice(0, 3)
                .map((node) => node.html.slice(0, 150))
                .join(" ")}`,
          );
        assert.deepEqual(bad, [], `${colorScheme}, ${width} px`);
        await page.screenshot({ path: join(seen, `${colorScheme}-${width}.png`), fullPage: true });
        await context.close();
      }
  },

  async "phone: nothing is wider than the screen"() {
    const { context, page, check } = await open({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await page.screenshot({ path: join(seen, "phone.png"), fullPage: true });
    await check("phone");
    await context.close();
  },

  async "without scripts all is there"() {
    const { context, page, check } = await open({ viewport: { width: 1280, height: 800 }, javaScriptEnabled: false });
    const figures = page.locator("figure.chart");
    for (const figure of await figures.all())
      assert.ok(await figure.locator("svg.sc, p").first().isVisible(), await figure.getAttribute("id"));
    assert.equal(await page.locator("button:visible").count(), 0, "no button that does nothing");
    const file = await download(page, () => page.locator("#files a.file[download='scenario.json']").click());
    assert.equal(file.bytes.toString(), '{"name": "x"}\n');
    await page.screenshot({ path: join(seen, "no-scripts.png"), fullPage: true });
    await check("without scripts");
    await context.close();
  },

  async "every control is reached by keys, and focus is seen"() {
    const { context, page } = await open({ viewport: { width: 1280, height: 800 } });
    await page.evaluate(() => document.querySelectorAll("details").forEach((e) => (e.open = true)));
    await page.waitForTimeout(100); // what scrolls is told apart after the next layout
    const missed = await page.evaluate(() => {
      window.controls = [...document.querySelectorAll("a[href], button, summary, input, .live")].filter((e) =>
        e.checkVisibility(),
      );
      return window.controls.length;
    });
    const reached = new Set();
    for (let i = 0; i < 3 * missed; ++i) {
      await page.keyboard.press("Tab");
      const { index, outlined } = await page.evaluate(() => ({
        index: window.controls.indexOf(document.activeElement),
        outlined: getComputedStyle(document.activeElement).outlineStyle !== "none",
      }));
      if (index >= 0) assert.ok(outlined, `control ${index} shows its focus`);
      if (index === 0 && reached.size > 1) break;
      reached.add(index);
    }
    reached.delete(-1);
    assert.equal(reached.size, missed, "controls reached by Tab");
    await context.close();
  },

  async "charts can be taken out as SVG, PNG and CSV"() {
    const { context, page, check } = await open({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" });
    const figure = page.locator("#chart-cost");
    const svg = await download(page, () => figure.getByRole("button", { name: "Save as SVG" }).click());
    assert.equal(svg.name, "cost.svg");
    const problem = await page.evaluate(
      (text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")?.textContent ?? "",
      svg.bytes.toString(),
    );
    assert.equal(problem, "");
    const png = await download(page, () => figure.getByRole("button", { name: "Save as PNG" }).click());
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    assert.equal(png.bytes.readUInt32BE(16), 2 * 820, "twice as wide as the drawing, for print");
    const csv = await download(page, () => figure.getByRole("button", { name: "Save as CSV" }).click());
    assert.match(csv.bytes.toString(), /^Series,Label,Cause,Cost in \$,/);
    const results = await download(page, () => page.locator("#results-file a").click());
    assert.equal(JSON.parse(results.bytes).options[1].utilization, 0.913);
    await check("taking out");
    await context.close();
  },

  async "a thing pointed at stands out in every chart that has it"() {
    if (!withCharts) return console.log("  (the chart library was not bundled: not looked at)");
    const { context, page, check } = await open({ viewport: { width: 1280, height: 900 } });
    const faint = (id) => page.locator(`#chart-${id} .live .mark-rect path[opacity="0.2"]`).count();
    const live = page.locator("#chart-lost-time .live");
    await live.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector("#chart-lost-time .told").textContent !== "");
    assert.match(await page.locator("#chart-lost-time .told").textContent(), /computing.*24\.1 %/);
    await page.waitForFunction(
      () => document.querySelectorAll('#chart-lost-time .live path[opacity="0.2"]').length === 8,
    );
    assert.equal(await faint("tornado"), 0, "a chart without it stays as it is");
    await page.keyboard.press("Escape");
    await page.waitForFunction(
      () => document.querySelectorAll('#chart-lost-time .live path[opacity="0.2"]').length === 0,
    );

    await page.locator("#chart-hostile").scrollIntoViewIfNeeded();
    await page.locator("#chart-hostile .live .mark-rect path").first().hover();
    await page.waitForSelector("#vg-tooltip-element.visible");
    assert.match(await page.locator("#vg-tooltip-element").textContent(), /<script>fail\('text'\)<\/script>/);
    await check("pointing");
    await context.close();
  },

  async "no name in a legend is cut off"() {
    if (!withCharts) return console.log("  (the chart library was not bundled: not looked at)");
    for (const width of [1280, 1000, 700, 390]) {
      const { context, page } = await open({ viewport: { width, height: 900 }, colorScheme: "light" });
      const cut = () =>
        page.evaluate(() =>
          [...document.querySelectorAll(".live svg")].flatMap((svg) => {
            const right = svg.getBoundingClientRect().right + 1;
            return [...svg.querySelectorAll(".role-legend-label text")]
              .filter((text) => text.getBoundingClientRect().right > right)
              .map((text) => `${svg.closest("figure").id}: ${text.textContent}`);
          }),
        );
      assert.deepEqual(await cut(), [], `${width} px`);
      // A chart may be narrower than its figure; another colour scheme draws all of them again.
      await page.addStyleTag({ content: ".first .live, .live { max-width: 30rem; }" });
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForFunction(() =>
        [...document.querySelectorAll(".live svg")].every((svg) => svg.getBoundingClientRect().width <= 481),
      );
      await page.waitForTimeout(200);
      assert.deepEqual(await cut(), [], `${width} px, charts of 480 px`);
      await context.close();
    }
  },

  async "paper: charts as drawn, code unfolded, no controls"() {
    const { context, page, check } = await open({ viewport: { width: 794, height: 1123 }, colorScheme: "dark" });
    for (const format of ["A4", "Letter"]) {
      const pdf = await page.pdf({ path: join(seen, `${format}.pdf`), format });
      assert.ok(pdf.length > 20000 && pdf.length < 3e6, `${format}: ${pdf.length} bytes`);
    }
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator("button:visible, .contents:visible, .live:visible").count(), 0);
    assert.equal(await page.locator("figure svg.sc:visible").count(), await page.locator("figure svg.sc").count());
    assert.ok(await page.locator("details.code pre").first().isVisible());
    await check("paper");
    await context.close();
  },
};

let failed = 0;
assert.ok(statSync(pagePath).size < 3e6, "the page is smaller than 3 MB");
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok: ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
