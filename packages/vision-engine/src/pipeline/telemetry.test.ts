import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeModelFolder } from "../testing/color-model.ts";

const folder = mkdtempSync(join(tmpdir(), "telemetry-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("ONNX Runtime", () => {
  it("leaves no device id and no names of models behind after a detection", { timeout: 90_000 }, () => {
    const models = join(folder, "models");
    writeModelFolder(models, "mine/colors");
    const [home, temporary] = [join(folder, "home"), join(folder, "tmp")];
    for (const place of [home, temporary]) mkdirSync(place);
    // Nothing else: in a CI environment the library is silent anyway.
    const env = { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: temporary };
    const program = join(import.meta.dirname, "__fixtures__/detect-once.ts");
    const { stdout, stderr } = spawnSync(process.execPath, [program, models], { env, cwd: home, encoding: "utf8" });
    expect(stdout, stderr).toContain('"class_name":[');
    expect(readdirSync(home, { recursive: true })).toEqual([]);
    expect(
      readdirSync(temporary, { recursive: true }).filter((name) => /microsoft|onnx|device/i.test(String(name))),
    ).toEqual([]);
  });
});
