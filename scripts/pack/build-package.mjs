// a package's sources → dist: JavaScript, declarations and the data they read
import { execFile } from "node:child_process";
import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Of a declaration's import or export: `from "./x.ts"`, `import("../x.ts")`. */
const RELATIVE_SOURCE = /((?:from |import\()"\.{1,2}\/[^"]*)\.ts"/g;
/** Of requirements, which users of a package do not have: `AF-1, AF-2: does it`, `does it (AF-1)`, `Does it. AF-1`. */
const ID = "(?:Invariant \\d+|(?:AF|AI|SC|VA|VI|X)-?\\d+)";
const IDS = `${ID}(?:(?:, | … )${ID})*`;
const LEADING_IDS = new RegExp(`(\\* )${IDS}[:.] (.)`, "g");
const OTHER_IDS = new RegExp(` \\(${IDS}\\)| ${IDS}(?= \\*/)`, "g");

/**
 * @param {string} root of the checkout
 * @param {string} folder of the package
 * @throws with the compiler's own words
 */
export async function buildPackage(root, folder) {
  const dist = join(folder, "dist");
  await rm(dist, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "-b", join(folder, "tsconfig.build.json")], { cwd: root }).catch((error) => {
    throw new Error(`The package does not compile:\n${error.stdout}${error.stderr}`, { cause: error });
  });
  await cp(join(folder, "src"), dist, { recursive: true, filter: isData });
  for (const file of await readdir(dist, { recursive: true })) {
    if (file.endsWith(".d.ts")) await toPublished(join(dist, file));
  }
}

/**
 * The compiler rewrites `./x.ts` in JavaScript only, not in declarations.
 * @param {string} file
 */
async function toPublished(file) {
  const text = (await readFile(file, "utf8"))
    .replaceAll(RELATIVE_SOURCE, '$1.js"')
    .replaceAll(LEADING_IDS, (_, star, first) => star + first.toUpperCase())
    .replaceAll(OTHER_IDS, "");
  await writeFile(file, text);
}

/** @param {string} path */
async function isData(path) {
  if ((await stat(path)).isDirectory()) return !path.endsWith("__fixtures__");
  return !/\.tsx?$/.test(path);
}
