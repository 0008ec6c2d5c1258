// package-lock.json → which licences its packages have, and which of them nobody has allowed

/** Licences (SPDX) that a package may have. */
const ALLOWED: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
  "Zlib",
  // Used as they are, unchanged: their sources are public.
  "LGPL-3.0-or-later",
  "MPL-2.0",
]);

/** Read by a person: packages whose entry in the lockfile is no SPDX expression, or says less than their files. */
const READ: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server-everything": "MIT (development only)",
  "dejavu-fonts-ttf": "Bitstream Vera (free to use and pass on)",
  "sqlite-vec": "MIT OR Apache-2.0",
};

export interface LockedPackage {
  readonly license?: string;
  readonly link?: boolean;
  readonly version?: string;
  readonly integrity?: string;
}

export interface LicenceReport {
  /** Names of packages by licence, the most common first. */
  readonly groups: readonly (readonly [licence: string, names: readonly string[]])[];
  readonly refused: readonly string[];
  /** Packages without a checksum. */
  readonly unpinned: readonly string[];
}

export function toLicenceReport(packages: Readonly<Record<string, LockedPackage>>): LicenceReport {
  const groups = new Map<string, Set<string>>();
  const [refused, unpinned] = [new Set<string>(), new Set<string>()];
  for (const [path, { license = "none", link, integrity }] of Object.entries(packages)) {
    const name = path.split("node_modules/").at(-1) ?? "";
    if (!path.includes("node_modules/") || link === true) continue;
    const known = READ[name] ?? READ[name.replace(/^(sqlite-vec)-.*/, "$1")];
    const licence = known ?? license;
    groups.set(licence, (groups.get(licence) ?? new Set()).add(name));
    if (known === undefined && !isAllowed(license)) refused.add(`${name} (${license})`);
    if (integrity === undefined) unpinned.add(name);
  }
  const sorted = [...groups].map(([licence, names]) => [licence, [...names].sort()] as const);
  sorted.sort(([, one], [, other]) => other.length - one.length);
  return { groups: sorted, refused: [...refused].sort(), unpinned: [...unpinned].sort() };
}

/** One of the choices of an OR, all parts of an AND. Brackets stand around the whole only. */
function isAllowed(expression: string): boolean {
  const bare = expression.replace(/^\(|\)$/g, "");
  return bare.split(" OR ").some((choice) => choice.split(" AND ").every((part) => ALLOWED.has(part.trim())));
}
