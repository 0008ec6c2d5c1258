// package.json of the sources → package.json of what is published

/**
 * As far as publishing is concerned; every other field goes along as it is.
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {Readonly<Record<string, string>>} exports
 * @property {unknown} [scripts]
 * @property {unknown} [devDependencies]
 */

/**
 * Entries point at what was built: `./src/x.ts` becomes `./dist/x.js` with its types. What only developers need is left out.
 * @param {Manifest} manifest
 */
export function toPublishedManifest(manifest) {
  const { scripts: _, devDependencies: __, ...rest } = manifest;
  const entries = Object.entries(manifest.exports).map(([entry, file]) => [entry, toBuiltEntry(file)]);
  return { ...rest, exports: Object.fromEntries(entries) };
}

/** @param {string} file */
function toBuiltEntry(file) {
  const built = file.replace(/^\.\/src\//, "./dist/");
  if (!file.endsWith(".ts")) return built;
  return { types: built.replace(/\.ts$/, ".d.ts"), default: built.replace(/\.ts$/, ".js") };
}
