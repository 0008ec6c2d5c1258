// the exported names of every entry → docs/agent-core/api.md
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Declarations, emitDeclarations } from "./declarations.ts";
import { type ExportedName, exportsOf } from "./exported-name.ts";

export const API_PACKAGE = "packages/agent-core";
export const API_PAGE = "docs/agent-core/api.md";

export interface Entry {
  /** As a program imports it. */
  readonly specifier: string;
  readonly names: readonly ExportedName[];
}

/** Of every entry of the manifest. */
export function readEntries(root: string): readonly Entry[] {
  const manifest = JSON.parse(readFileSync(join(root, API_PACKAGE, "package.json"), "utf8")) as {
    name: string;
    exports: Record<string, string>;
  };
  const declarations: Declarations = emitDeclarations(root, API_PACKAGE);
  const modules = Object.entries(manifest.exports).filter(([, file]) => file.endsWith(".ts"));
  return modules.map(([entry, file]) => ({
    specifier: entry.replace(".", manifest.name),
    names: exportsOf(declarations, file.replace(/^\.\/src\//, "").replace(/\.ts$/, "")),
  }));
}

/** Names that a reader of the page is told nothing about. */
export function undocumented(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap(({ names }) => names.filter(({ sentence }) => sentence === "").map(({ name }) => name));
}

export function toApiPage(entries: readonly Entry[]): string {
  const parts = entries.map(
    ({ specifier, names }) =>
      `## ${specifier}\n\n${names
        .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
        .map(toSection)
        .join("\n\n")}`,
  );
  return `# API of agent-core

Every name that can be imported, with the first sentence of its comment. \`node scripts/api-page/generate.ts\` writes this page from the
declarations; what a module is for is on [its own page](README.md).

${entries.map(({ specifier, names }) => `- [${specifier}](#${toAnchor(specifier)}): ${names.length} names`).join("\n")}

${parts.join("\n\n")}
`;
}

function toSection({ name, signatures, sentence, members }: ExportedName): string {
  const lines = members.map((member) => `- \`${member.signature}\`${member.sentence ? `: ${member.sentence}` : ""}`);
  const parts = [`### ${name}`, ...signatures.map((signature) => `\`${signature}\``), sentence, lines.join("\n")];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** As Markdown viewers make them of headings. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}
