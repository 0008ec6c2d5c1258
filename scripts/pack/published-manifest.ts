// package.json of the sources → package.json of what is published

/** As far as publishing is concerned; every other field goes along as it is. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports?: { readonly [entry: string]: string };
  readonly bin?: { readonly [command: string]: string };
  readonly scripts?: unknown;
  readonly devDependencies?: unknown;
  readonly private?: boolean;
  readonly [field: string]: unknown;
}

/** Entries point at JavaScript; what only developers need, and what the compiler noted for itself, is left out. */
export function toPublishedManifest(manifest: Manifest): Manifest {
  const { scripts: _, devDependencies: __, private: ___, exports: entries, ...rest } = manifest;
  const kept = { ...rest, files: ["src"] };
  if (entries === undefined) return kept;
  const built = Object.entries(entries).map(([entry, file]) => [entry, file.replace(/\.ts$/, ".js")]);
  return { ...kept, exports: Object.fromEntries(built) };
}
