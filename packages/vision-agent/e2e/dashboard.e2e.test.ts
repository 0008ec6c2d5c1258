import { AxeBuilder } from "@axe-core/playwright";
import type { FrameResult, PipelineResults, PipelineStatus } from "@vision-agent/protocol";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "../../../scripts/find-chromium.mjs";
import { getJson, postJson, type RunningProduct, startProduct, temporaryWorkspace, until } from "./start-product.ts";

const executablePath = findChromium();
const required = process.env.CI === "true" || process.env.VISION_AGENT_REQUIRE_BROWSER === "1";
if (executablePath === undefined && !required) {
  process.stderr.write("skipped: the dashboard tests need Chromium (Debian: apt-get install chromium)\n");
}

/** The scene stands still two seconds after the start, so that every answer about it can be checked. */
const STILL = "street=sim://street?start=100&freeze=1000s@2s";

describe.runIf(executablePath !== undefined || required)("the dashboard", () => {
  let home: Awaited<ReturnType<typeof temporaryWorkspace>>;
  let browser: Browser;
  let product: RunningProduct;

  beforeAll(async () => {
    expect(executablePath, "Chromium is required here and was not found").toBeDefined();
    home = await temporaryWorkspace();
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    const flags = ["--camera", STILL, "--camera", "yard=sim://warehouse"];
    product = await startProduct({ workspace: `${home.folder}-still`, flags });
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
    await home?.remove();
  });

  it("S000-2.3.9 S000-11.6.4 shows the demo street with moving boxes, a count that rises, and no fault in the page", async () => {
    const demo = await startProduct({ workspace: home.folder });
    try {
      const { page, faults } = await openPage(browser, demo);
      const first = await drawn(page);
      const later = await until(async () => {
        const now = await drawn(page);
        return now.frame > first.frame + 10 && now.boxes !== first.boxes ? now : undefined;
      });
      expect(JSON.parse(later.boxes).length).toBeGreaterThan(0);
      const count = page.getByTestId("line-count").first();
      const before = sumOf(await count.innerText());
      await until(async () => (sumOf(await count.innerText()) > before ? true : undefined), 60_000);
      expect(faults).toEqual([]);
      await page.close();
    } finally {
      await demo.stop();
    }
  });

  it("draws boxes over the right pixels", async () => {
    const { page } = await openPage(browser, product);
    const result = await stillResult(product);
    const expected = boxesOf(result);
    const shown = await until(async () => {
      const { boxes } = await drawn(page);
      return sameBoxes(xyxyOf(boxes), expected) ? xyxyOf(boxes) : undefined;
    });
    expect(shown.length).toBe(expected.length);
    for (const box of expected.slice(0, 5)) {
      expect(await edgeDiffersFromPicture(page, product, box), `an edge is drawn at ${box}`).toBe(true);
    }
    await page.screenshot({ path: `${home.folder}-dashboard.png` });
    await page.close();
  });

  it("answers what it sees with the right counts and a picture", async () => {
    const { page, faults } = await openPage(browser, product);
    const counts = countsOf(await stillResult(product));
    await page.getByTestId("composer").fill("What do you see on street?");
    await page.keyboard.press("Enter");
    const answer = page.locator('[data-testid="chat-message"][data-role="assistant"]').last();
    await until(async () => ((await answer.count()) > 0 && /\d/.test(await answer.innerText()) ? true : undefined));
    const picture = answer.locator("img").first();
    await until(async () =>
      (await picture.evaluate((img: HTMLImageElement) => img.naturalWidth)) > 0 ? true : undefined,
    );
    const words = (await answer.innerText()).toLowerCase();
    for (const [name, count] of Object.entries(counts)) {
      expect(words).toMatch(new RegExp(`\\b${count} ${name === "person" ? "(person|people)" : `${name}s?`}\\b`));
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("shows the sign-in form to strangers, and a viewer its camera without a chat", async () => {
    const password = "only the street";
    await postJson(product, "/api/accounts", { name: "guest", password, cameras: ["street"] });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${product.address}/login?token=used-before`);
    await page.getByRole("alert").filter({ hasText: "This link has expired or was used before." }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.goto(`${product.address}/alerts`);
    await page.getByLabel("Name").fill("guest");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").filter({ hasText: "The name or the password is wrong." }).waitFor();
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Talking to the agent and changing things needs an owner.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    expect(await page.getByTestId("composer").count()).toBe(0);
    expect(await page.getByText("yard").count()).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Vision Agent" }).waitFor();
    await page.context().close();
  });

  it("has no accessibility violation, light and wide, dark and on a phone", async () => {
    for (const [colorScheme, viewport] of [
      ["light", { width: 1440, height: 900 }],
      ["dark", { width: 390, height: 844 }],
    ] as const) {
      const context = await browser.newContext({ colorScheme, viewport });
      const page = await context.newPage();
      await page.goto(`${product.address}/login?token=${product.token}`);
      await drawn(page);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => ({ id, at: nodes.map((node) => node.target) }))).toEqual([]);
      await context.close();
    }
  });
});

async function openPage(browser: Browser, product: RunningProduct): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(`${product.address}/login?token=${product.token}`);
  return { page, faults };
}

/** What the canvas says it has drawn last. */
async function drawn(page: Page): Promise<{ frame: number; boxes: string }> {
  const canvas = page.locator('[data-testid="live-canvas"][data-frame-number]').first();
  await canvas.waitFor({ timeout: 30_000 });
  return {
    frame: Number(await canvas.getAttribute("data-frame-number")),
    boxes: (await canvas.getAttribute("data-boxes")) ?? "[]",
  };
}

/** The newest result once the scene stands still: two in a row with the same boxes. */
async function stillResult(product: RunningProduct): Promise<FrameResult> {
  return until(async () => {
    const all = await getJson<PipelineStatus[]>(product, `/api/pipelines`);
    const pipeline = all.find(({ video_reference }) => video_reference === "street");
    if (pipeline === undefined || pipeline.frames_processed < 40) return undefined;
    const { results } = await getJson<PipelineResults>(
      product,
      `/api/pipelines/${pipeline.pipeline_id}/results?last=2`,
    );
    const [before, now] = results;
    if (before === undefined || now === undefined) return undefined;
    return sameBoxes(boxesOf(before), boxesOf(now)) ? now : undefined;
  }, 30_000);
}

function detectionsOf(result: FrameResult) {
  const all = Object.values(result.outputs).flatMap((output) =>
    output.kind === "detections" ? [output.detections] : [],
  );
  const found = all.find((detections) => detections.tracker_id !== null) ?? all[0];
  if (found === undefined) throw new Error("The result has no detections.");
  return found;
}

function boxesOf(result: FrameResult): number[][] {
  const { xyxy, class_id } = detectionsOf(result);
  return class_id.map((_, row) => xyxy.slice(row * 4, row * 4 + 4));
}

function countsOf(result: FrameResult): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of detectionsOf(result).class_name) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function xyxyOf(boxes: string): number[][] {
  return (JSON.parse(boxes) as { xyxy: number[] }[]).map(({ xyxy }) => xyxy);
}

function sameBoxes(a: number[][], b: number[][]): boolean {
  return (
    a.length === b.length &&
    a.every((box, i) => box.every((value, j) => Math.abs(value - (b[i]?.[j] ?? Infinity)) <= 1))
  );
}

function sumOf(text: string): number {
  return [...text.matchAll(/\d+/g)].reduce((sum, match) => sum + Number(match[0]), 0);
}

/**
 * Compares the canvas with the camera's own picture along the left edge of a box: where the box is drawn the pixels differ,
 * in its middle they do not.
 */
async function edgeDiffersFromPicture(page: Page, product: RunningProduct, box: readonly number[]): Promise<boolean> {
  return page.evaluate(
    async ({ url, box }) => {
      const canvas = document.querySelector<HTMLCanvasElement>('[data-testid="live-canvas"]');
      if (canvas === null) return false;
      const picture = await createImageBitmap(await (await fetch(url)).blob());
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const plain = copy.getContext("2d");
      const drawn = canvas.getContext("2d");
      if (plain === null || drawn === null) return false;
      plain.drawImage(picture, 0, 0, canvas.width, canvas.height);
      const scale = canvas.width / picture.width;
      const [left = 0, top = 0, right = 0, bottom = 0] = box.map((value) => value * scale);
      const middle = (top + bottom) / 2;
      const difference = (x: number, y: number): number => {
        const a = drawn.getImageData(Math.round(x), Math.round(y), 1, 1).data;
        const b = plain.getImageData(Math.round(x), Math.round(y), 1, 1).data;
        return (
          Math.abs((a[0] ?? 0) - (b[0] ?? 0)) +
          Math.abs((a[1] ?? 0) - (b[1] ?? 0)) +
          Math.abs((a[2] ?? 0) - (b[2] ?? 0))
        );
      };
      const strongest = (x: number): number =>
        Math.max(...[-2, -1, 0, 1, 2].flatMap((dx) => [-3, 0, 3].map((dy) => difference(x + dx, middle + dy))));
      return strongest(left) > 40 && strongest(right) > 40;
    },
    { url: `${product.address}/api/cameras/street/snapshot.jpg`, box },
  );
}
