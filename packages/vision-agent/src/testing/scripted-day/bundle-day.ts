// the scripted day and everything it imports → one file, so that two hundred processes start quickly
import { symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";

const ENTRY = join(import.meta.dirname, "scripted-day.ts");
const MODULES = join(import.meta.dirname, "../../../../../node_modules");

/** Gives the path of the file, which is made in `folder`. */
export async function bundleDay(folder: string): Promise<string> {
  // Native modules stay outside and are found from here.
  await symlink(MODULES, join(folder, "node_modules"), "junction");
  await build({
    configFile: false,
    logLevel: "error",
    plugins: [{ name: "stay-where-you-were", transform: keepPlace }],
    build: {
      ssr: ENTRY,
      outDir: folder,
      emptyOutDir: false,
      target: "node24",
      rolldownOptions: { treeshake: { moduleSideEffects: false }, output: { codeSplitting: false } },
    },
    ssr: { noExternal: [/^@vision-agent\//, "zod", /^ajv/] },
  });
  return join(folder, "scripted-day.js");
}

/** Files that lie beside a module are still found there. */
function keepPlace(code: string, id: string): string | undefined {
  if (id === ENTRY) return undefined;
  return code
    .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href));
}
