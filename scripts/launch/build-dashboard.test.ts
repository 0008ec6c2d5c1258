import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildDashboard, isDashboardStale } from "./build-dashboard.mjs";
import { describeCheckout } from "./checkout.mjs";

const BUILDER = `
  import { mkdirSync, writeFileSync } from "node:fs";
  const folder = process.argv[process.argv.indexOf("--outDir") + 1];
  mkdirSync(folder, { recursive: true });
  writeFileSync(folder + "/index.html", "built in " + process.cwd());
`;

describe("buildDashboard", () => {
  it("has nothing to do where there is no dashboard", async () => {
    const web = dashboard(BUILDER);
    rmSync(join(web.root, "packages/web/index.html"));
    await build(web);
    expect(existsSync(join(web.root, "packages/web/dist"))).toBe(false);
    expect(web.said).toEqual([]);
  });

  it("builds once, in the folder of the dashboard", async () => {
    const web = dashboard(BUILDER);
    await build(web);
    expect(readFileSync(join(web.root, "packages/web/dist/index.html"), "utf8")).toMatch(/built in .*packages.web$/);
    expect(web.said).toEqual(["Building the dashboard"]);
    await build(web);
    expect(web.said).toHaveLength(1);
  });

  it.each([
    "packages/web/src/page/view.tsx",
    "packages/web/public/icon.svg",
    "packages/web/index.html",
    "packages/web/vite.config.ts",
    "packages/web/package.json",
    "packages/protocol/src/frame.ts",
    "package-lock.json",
  ])("is stale when %s changes", async (file) => {
    const web = dashboard(BUILDER);
    await build(web);
    expect(isDashboardStale(web.root)).toBe(false);
    write(web.root, file, "changed");
    expect(isDashboardStale(web.root)).toBe(true);
  });

  it("is not stale when only times change, or what it does not depend on", async () => {
    const web = dashboard(BUILDER);
    await build(web);
    utimesSync(join(web.root, "packages/web/index.html"), 1, 1);
    write(web.root, "packages/vision-agent/src/main.ts", "changed");
    expect(isDashboardStale(web.root)).toBe(false);
  });

  it("replaces the whole folder", async () => {
    const web = dashboard(BUILDER);
    write(web.root, "packages/web/dist/old.js", "old");
    await build(web);
    expect(readdirSync(join(web.root, "packages/web/dist")).sort()).toEqual([".build-stamp", "index.html"]);
  });

  it("keeps the old dashboard and tells why when the build fails", async () => {
    const web = dashboard(`${BUILDER} console.error("no such import"); process.exit(1);`);
    write(web.root, "packages/web/dist/old.js", "old");
    await expect(build(web)).rejects.toMatchObject({ kind: "build", details: "no such import" });
    expect(readdirSync(join(web.root, "packages/web/dist"))).toEqual(["old.js"]);
    expect(isDashboardStale(web.root)).toBe(true);
  });

  it("builds once for two that start together", async () => {
    const web = dashboard(BUILDER);
    await Promise.all([build(web), build(web)]);
    expect(web.said.filter((line) => line === "Building the dashboard")).toHaveLength(1);
  });
});

function dashboard(builder: string) {
  const root = mkdtempSync(join(tmpdir(), "dashboard-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of ["packages/web/index.html", "packages/web/src/main.tsx", "package-lock.json"])
    write(root, file, "");
  write(root, "builder.mjs", builder);
  const said: string[] = [];
  const screen = {
    say: (line: string) => void said.push(line),
    during: <T>(label: string, work: () => Promise<T>) => {
      said.push(label);
      return work();
    },
  };
  return { root, said, checkout: { ...describeCheckout(root), screen } };
}

function build({ root, checkout }: ReturnType<typeof dashboard>): Promise<void> {
  return buildDashboard(checkout, { node: process.execPath, vite: join(root, "builder.mjs") });
}

function write(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
