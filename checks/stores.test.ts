import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { WORKSPACE_STORES } from "../packages/vision-agent/src/store/workspace-stores.data.ts";
import { DEFAULT_FILES, DEFAULT_FOLDERS } from "../packages/vision-agent/src/workspace/default-files.ts";

/** Whatever a file of the app names inside the workspace: `path("events", "alerts.jsonl")`, `path(SERVER_NOTE)`. */
const WRITTEN = /\bpath\((?:"([^"]+)"(?:, "([^"]+)")?|([A-Z][A-Z_]+))\)/g;

const sources = globSync("packages/vision-agent/src/**/*.ts")
  .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
  .map((path) => readFileSync(path, "utf8"));
const constants = new Map(
  sources.flatMap((text) =>
    [...text.matchAll(/\bconst ([A-Z][A-Z_]+) = "([^"]+)";/g)].map(([, name, value]) => [name, value]),
  ),
);

it("every place of the workspace forgets on request, or says why there is nothing to forget", () => {
  const named = sources.flatMap((text) =>
    [...text.matchAll(WRITTEN)].map(([, first, second, constant]) =>
      constant === undefined ? [first, second].filter(Boolean).join("/") : constants.get(constant),
    ),
  );
  const made = [...Object.keys(DEFAULT_FILES), ...DEFAULT_FOLDERS];
  expect(named.length).toBeGreaterThan(15);
  const isKnown = (path: string | undefined): boolean =>
    path !== undefined && [path, path.split("/")[0] ?? ""].some((one) => Object.hasOwn(WORKSPACE_STORES, one));
  const hint =
    "Add it to workspace-stores.data.ts: with the store that forgets it, or why it keeps nothing of a camera.";
  expect(
    [...named, ...made].filter((path) => !isKnown(path)),
    hint,
  ).toEqual([]);
});
