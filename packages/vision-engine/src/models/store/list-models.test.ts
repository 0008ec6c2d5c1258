import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "./catalogue.data.ts";
import { listModels } from "./catalogue.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe("listModels", () => {
  it("tells which models have all of their weights here", async () => {
    const folder = await mkdtemp(join(tmpdir(), "models-"));
    folders.push(folder);
    const lite = CATALOGUE.find(({ id }) => id === "vision-agent/default-lite");
    for (const { folder: name } of lite?.packages ?? []) await mkdir(join(folder, name), { recursive: true });
    const here = (await listModels(folder)).filter(({ cached }) => cached).map(({ id }) => id);
    expect(here).toEqual(["vision-agent/default-lite"]);
  });

  it("finds none where there is no folder", async () => {
    expect((await listModels("/nowhere/at/all")).some(({ cached }) => cached)).toBe(false);
  });
});
