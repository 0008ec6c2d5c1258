// source files → every import they make, types included
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "oxc-parser";

export interface Import {
  /** Path of the file inside the package's `src`. */
  readonly from: string;
  /** As written. */
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Source files of a package, tests included, relative to `src`. */
export function sourceFiles(packageName: string): readonly string[] {
  return readdirSync(join("packages", packageName, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => file.split("\\").join("/"))
    .filter((file) => /\.tsx?$/.test(file));
}

export function importsOf(packageName: string): readonly Import[] {
  return sourceFiles(packageName).flatMap((from) => {
    const path = join("packages", packageName, "src", from);
    return importsInText(path, readFileSync(path, "utf8")).map((found) => ({ ...found, from }));
  });
}

export function importsInText(path: string, text: string): readonly Omit<Import, "from">[] {
  const { module } = parseSync(path, text);
  const statics = module.staticImports.map((statement) => ({
    to: statement.moduleRequest.value,
    typeOnly: statement.entries.length > 0 && statement.entries.every((entry) => entry.isType),
  }));
  const reexports = module.staticExports.flatMap((statement) =>
    statement.entries.flatMap((entry) =>
      entry.moduleRequest ? [{ to: entry.moduleRequest.value, typeOnly: entry.isType }] : [],
    ),
  );
  const dynamics = module.dynamicImports.flatMap((call) => {
    const literal = /^["'`]([^"'`]+)["'`]$/.exec(text.slice(call.moduleRequest.start, call.moduleRequest.end))?.[1];
    return literal ? [{ to: literal, typeOnly: false }] : [];
  });
  return [...statics, ...reexports, ...dynamics];
}

/** Where a relative import lands, relative to `src`. */
export function targetOf(found: Import): string {
  return posix.join(posix.dirname(found.from), found.to);
}
