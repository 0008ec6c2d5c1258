// a package's sources → its declarations, as the compiler writes them
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Texts by path inside `src`, without `.d.ts`: `agent/executor`. */
export type Declarations = ReadonlyMap<string, string>;

/** Without checking the sources, which others do: about a second. */
export function emitDeclarations(root: string, folder: string): Declarations {
  const out = mkdtempSync(join(tmpdir(), "declarations-"));
  try {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const config = join(root, folder, "tsconfig.build.json");
    execFileSync(process.execPath, [tsc, "-p", config, "--outDir", out, "--emitDeclarationOnly", "--noCheck"]);
    const files = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
    const entries = files.map((file) => [file.split("\\").join("/").slice(0, -".d.ts".length), file] as const);
    return new Map(entries.map(([name, file]) => [name, readFileSync(join(out, file), "utf8")]));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
