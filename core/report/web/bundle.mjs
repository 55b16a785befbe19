// node bundle.mjs PACKAGES OUT: charts.js and what it imports from PACKAGES (where npm put them) as OUT/bundle.js, and
// the licences of every package that is in it as OUT/licences.txt.
import { createRequire } from "node:module";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const [packages, out] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(join(packages, "package.json"))("esbuild");

const result = await build({
  absWorkingDir: packages,
  entryPoints: [join(packages, "charts.js")],
  outfile: join(out, "bundle.js"),
  bundle: true,
  minify: true,
  metafile: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
});

// "node_modules/a/node_modules/@b/c/src/x.js" is part of the package in "node_modules/a/node_modules/@b/c".
const folders = new Set();
for (const { inputs } of Object.values(result.metafile.outputs))
  for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match && bytesInOutput > 0) folders.add(match[1]);
  }

// Some packages come with parts of others already inside, so what they depend on is named too.
const description = (folder) => JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"));
for (const folder of folders)
  for (const name of Object.keys(description(folder).dependencies ?? {})) {
    const places = [`${folder}/node_modules/${name}`, `node_modules/${name}`];
    const place = places.find((path) => existsSync(join(packages, path)));
    if (place) folders.add(place);
  }

// Packages of one project often share one text.
const packagesOfText = new Map();
for (const folder of [...folders].sort()) {
  const path = join(packages, folder);
  const about = description(folder);
  const file = readdirSync(path).find((name) => /^(un)?licen[cs]e/i.test(name));
  if (!file) throw new Error(`${about.name}: there is no licence beside it`);
  const text = readFileSync(join(path, file), "utf8").trim();
  packagesOfText.set(text, [...(packagesOfText.get(text) ?? []), `${about.name} ${about.version} (${about.license})`]);
}
const notices = [...packagesOfText].map(([text, names]) => `${names.join(", ")}\n\n${text}\n`);
writeFileSync(join(out, "licences.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
