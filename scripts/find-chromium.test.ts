import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findChromium, isBrowserRequired } from "./find-chromium.mjs";

describe("findChromium", () => {
  it("takes the named one first", () => {
    expect(findChromium({ CHROMIUM_PATH: "/opt/browser", PATH: folderWith("chromium") })).toBe("/opt/browser");
  });

  it("looks through the path, chromium before google-chrome", () => {
    const [chrome, chromium] = [folderWith("google-chrome"), folderWith("chromium")];
    expect(findChromium({ PATH: [chrome, chromium].join(delimiter) })).toBe(join(chromium, "chromium"));
    expect(findChromium({ PATH: chrome })).toBe(join(chrome, "google-chrome"));
  });

  it("is undefined where there is none", () => {
    expect(findChromium({ PATH: folderWith("firefox") })).toBeUndefined();
    expect(findChromium({})).toBeUndefined();
  });
});

describe("isBrowserRequired", () => {
  it("is asked for by CI or by name", () => {
    expect([{}, { CI: "true" }, { VISION_AGENT_REQUIRE_BROWSER: "1" }].map(isBrowserRequired)).toEqual([
      false,
      true,
      true,
    ]);
  });
});

function folderWith(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), "chromium-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, program), "");
  chmodSync(join(folder, program), 0o755);
  return folder;
}
