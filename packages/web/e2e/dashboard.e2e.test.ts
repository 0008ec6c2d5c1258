import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { AxeBuilder } from "@axe-core/playwright";
import { createCanvas } from "@napi-rs/canvas";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeDashboardServer, openFakeServer, toAlert, toPause } from "./fake-server.ts";
import { HEIGHT, WIDTH, walkersAt } from "./street-scene.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const FIRST_LOAD_LIMIT_BYTES = 350_000;
const WIDE: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true };

describe.skipIf(CHROMIUM === undefined)("the dashboard in a browser (needs Chromium)", () => {
  const dist = mkdtempSync(join(tmpdir(), "dashboard-"));
  let browser: Browser;
  let server: FakeDashboardServer;
  let pages: Page[] = [];

  beforeAll(async () => {
    const root = join(import.meta.dirname, "..");
    await build({ root, logLevel: "error", build: { outDir: dist, emptyOutDir: true } });
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(dist, { recursive: true });
  });
  beforeEach(async () => {
    server = await openFakeServer({ dist, cameras: ["street"], mode: "offline", paint, now: () => Date.now() });
  });
  afterEach(async () => {
    for (const page of pages) await page.context().close();
    pages = [];
    await server.stop();
  });

  const open = async (options: BrowserContextOptions = WIDE, address = server.url): Promise<Page> => {
    const page = await (await browser.newContext(options)).newPage();
    pages.push(page);
    await page.goto(address);
    return page;
  };
  const openLive = async (options?: BrowserContextOptions): Promise<Page> => {
    const page = await open(options);
    await page.waitForSelector("[data-frame-number]");
    return page;
  };

  it("draws the boxes of the very frame they belong to", async () => {
    const page = await openLive({ ...WIDE, deviceScaleFactor: 2 });
    for (let sample = 0; sample < 5; sample += 1) {
      const { frameNumber, boxes, colours } = await page.evaluate(readCanvas);
      const walkers = walkersAt(frameNumber).filter(({ xyxy }) => xyxy[2] - xyxy[0] > 4);
      expect(boxes.map(({ xyxy }) => xyxy)).toEqual(walkers.map(({ xyxy }) => [...xyxy]));
      // The car is drawn last, so its middle shows its own paint.
      expect(colours.at(-1)).toSatisfy((colour: string) => isNear(colour, walkers.at(-1)!.colour));
      await page.waitForTimeout(150);
    }
  });

  it("shows the frame rate, the count by the line and that the detector is simulated", async () => {
    const page = await openLive();
    await page.getByText(/^live \d+\.\d fps$/).waitFor();
    expect(await page.getByTestId("line-count").textContent()).toBe("in 4 · out 2");
    expect(await page.getByTestId("simulated").isVisible()).toBe(true);
    expect(await page.getByTestId("live-canvas").getAttribute("aria-label")).toMatch(/^street, live: 2 people, 1 car$/);
  });

  it("answers an example with a tool line, a picture and Markdown", async () => {
    const page = await openLive();
    await page.getByRole("button", { name: "What do you see?" }).click();
    const answer = spokenTo(page);
    await answer.getByText("You said: What do you see?").waitFor();
    expect(await answer.locator("strong").textContent()).toBe("street");
    expect(await answer.getByText("looked at").textContent()).toBe("looked at street, 0.4 s");
    await answer.getByText("No changes made.").waitFor();
    const conversation = page.getByRole("region", { name: "Conversation", exact: true });
    await expect.poll(() => conversation.evaluate(distanceFromEnd), { timeout: 20_000 }).toBeLessThan(2);
    await answer.getByRole("button", { name: /Open large/ }).click();
    expect(await page.getByRole("dialog").getByRole("img").isVisible()).toBe(true);
  });

  it("goes on with a turn after a reload", async () => {
    const page = await openLive();
    await say(page, "Tell me slowly");
    await page.getByText("looked at").waitFor();
    await page.reload();
    await spokenTo(page).getByText("You said: Tell me slowly").waitFor();
    expect(await page.getByTestId("chat-message").count()).toBe(2);
  });

  it("steers a turn with a sentence and stops it with Esc", async () => {
    const page = await openLive();
    await say(page, "Tell me slowly");
    await page.getByText("looking at").waitFor();
    await say(page, "only the door");
    await page.keyboard.press("Escape");
    await spokenTo(page).getByText("Stopped.").waitFor();
    expect(server.asked).toEqual(['steer {"text":"only the door"}', "cancel "]);
  });

  it("says that the connection is lost and heals by itself", async () => {
    const page = await openLive();
    server.breakStreams(true);
    await page.getByText(/^Connection to the server lost at .* Trying to reconnect…$/).waitFor();
    await page.getByText("Connection lost. This is the last picture.").waitFor();
    server.breakStreams(false);
    await page.getByText(/^Connection to the server lost/).waitFor({ state: "detached" });
    await page.getByText("Connection lost. This is the last picture.").waitFor({ state: "detached" });
  });

  it("stops everything after Approve, asked by keyboard and after a reload", async () => {
    const page = await openLive();
    await page.getByRole("button", { name: "Stop everything" }).click();
    const card = page.getByRole("region", { name: "Waiting for your answer" });
    await card.getByText("May I stop all pipelines (street-count)?").waitFor();
    await page.reload();
    await card.getByText("May I stop all pipelines (street-count)?").waitFor();
    expect(await violations(page)).toEqual([]);
    await card.getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    await spokenTo(page).getByText("Stopped all pipelines.").waitFor();
    await card.waitFor({ state: "detached" });
    expect(server.asked).toEqual(["p1 approve"]);
    expect(await page.locator("summary").allTextContents()).toEqual(["stopped all, 20 ms"]);
    const change = page.getByRole("list", { name: "Changes" }).getByRole("link");
    expect(await change.textContent()).toBe("Stopped street-count on street.");
    await page.reload();
    await change.click();
    await page.waitForURL("**/cameras/street*");
  });

  it("leads from a receipt to the list, and marks what was made in it", async () => {
    const page = await openLive();
    await say(page, "What do you see?");
    await spokenTo(page).getByText("You said: What do you see?").waitFor();
    server.setPauses([{ ...toPause("q1", "Which animal?", Date.now()), kind: "ask_user" as const, calls: [] }]);
    const card = page.getByRole("region", { name: "Waiting for your answer" });
    await card.getByLabel("Your answer").fill("a cat");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: 'Created watch "a cat on the street".' }).click();
    await page.waitForURL("**/watches/w1*");
    await page.getByRole("heading", { name: "Watches" }).waitFor();
    expect(await page.locator("[aria-current=true]").textContent()).toContain("a cat on the street");
    await page.getByText("a person at the door").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("lets a question be answered with words, with a choice, or not at all", async () => {
    const page = await openLive();
    await say(page, "What do you see?");
    await spokenTo(page).getByText("You said: What do you see?").waitFor();
    const card = page.getByRole("region", { name: "Waiting for your answer" });
    const question = { ...toPause("q1", "Which door?", Date.now()), kind: "ask_user" as const, calls: [] };
    server.setPauses([question]);
    await card.getByLabel("Your answer").fill("the left one");
    await page.keyboard.press("Enter");
    await spokenTo(page).getByText("Answered: the left one").waitFor();
    server.setPauses([{ ...question, id: "q2", choices: ["front", "back"] }]);
    await card.getByRole("button", { name: "back" }).click();
    await spokenTo(page).getByText("Answered: back").waitFor();
    server.setPauses([{ ...question, id: "q3" }]);
    await card.getByRole("button", { name: "Skip" }).click();
    await expect
      .poll(() => server.asked, { timeout: 20_000 })
      .toEqual(["q1 answer the left one", "q2 answer back", "q3 deny"]);
  });

  it("takes away a pause that was answered elsewhere, and leads to one of another conversation", async () => {
    const page = await openLive();
    await say(page, "Stop everything");
    const card = page.getByRole("region", { name: "Waiting for your answer" });
    await card.waitFor();
    server.setPauses([]);
    await card.waitFor({ state: "detached" });
    server.setPauses([{ ...toPause("p9", "Spend more today?", Date.now()), session_id: "s9" }]);
    await page.getByText("Waiting for your answer: Spend more today?").waitFor();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.waitForURL("**/?session=s9");
    await card.getByText("Spend more today?").waitFor();
  });

  it("keeps every answer inside the chat, however wide the page is", async () => {
    const page = await openLive();
    await say(page, "Tell me widely");
    await spokenTo(page).getByRole("table").waitFor();
    await page.getByText("started").first().click();
    for (const width of [390, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      expect({ width, overflow: await page.evaluate(findOverflow) }).toEqual({ width, overflow: [] });
    }
    expect(await violations(page)).toEqual([]);
  });

  it("sends no video to a hidden tab", async () => {
    const page = await openLive();
    expect(server.liveCount()).toBe(1);
    await page.evaluate(hidePage, true);
    await expect.poll(() => server.liveCount()).toBe(0);
    await page.evaluate(hidePage, false);
    await expect.poll(() => server.liveCount()).toBe(1);
  });

  it("opens the moment of a mark and walks through events with the arrows", async () => {
    const page = await openLive();
    await page.getByRole("toolbar").getByRole("button").last().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "A person crossed the line, in" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await dialog.getByRole("heading", { name: "A person appeared" }).waitFor();
    await dialog.getByRole("button", { name: "Ask about this" }).click();
    await page
      .getByRole("list", { name: "About" })
      .getByText(/event e1 on camera street/)
      .waitFor();
    expect(await page.getByTestId("composer").evaluate((field) => field === document.activeElement)).toBe(true);
  });

  it("shows an alert as it comes", async () => {
    const page = await openLive();
    await page.getByText("A person crossed the line after hours").waitFor();
    const alert = {
      ...toAlert("street", Date.now()),
      id: "al2",
      severity: "critical" as const,
      text: "The gate is open",
    };
    server.report({ type: "alert", alert });
    await page.getByText("The gate is open").waitFor();
    await page.getByRole("button", { name: "Dismiss this alert" }).click();
    await page.getByText("No new alerts.").waitFor();
  });

  it.each([
    ["wide", WIDE],
    ["a phone", PHONE],
  ])("has no accessibility violation when it is %s, light or dark", async (_name, options) => {
    const page = await openLive({ ...options, colorScheme: "light" });
    expect(await violations(page)).toEqual([]);
    await say(page, "What do you see?");
    await spokenTo(page).getByText("You said: What do you see?").waitFor();
    await page.getByText("looked at").click();
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Earlier conversations" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("shows many cameras as a wall that takes turns, and one of them by its number", async () => {
    const names = ["street", "dock", "yard", "gate"];
    const many = await openFakeServer({ dist, cameras: names, mode: "model", paint, now: () => Date.now() });
    try {
      const page = await open(WIDE, `${many.url}/cameras`);
      for (const name of names) await page.waitForSelector(`[data-camera=${name}][data-frame-number]`);
      expect(many.liveCount()).toBeLessThanOrEqual(3);
      await page.keyboard.press("2");
      await page.waitForURL("**/cameras/dock");
      await page.getByRole("heading", { name: "dock", level: 1 }).waitFor();
    } finally {
      await many.stop();
    }
  });

  it("brings every larger file compressed", () => {
    const files = readdirSync(join(dist, "assets")).filter((name) => /\.(js|css)$/.test(name));
    for (const name of files) {
      const plain = readFileSync(join(dist, "assets", name));
      if (plain.length < 1024) continue;
      expect(brotliDecompressSync(readFileSync(join(dist, "assets", `${name}.br`)))).toEqual(plain);
      expect(gunzipSync(readFileSync(join(dist, "assets", `${name}.gz`)))).toEqual(plain);
    }
    expect(existsSync(join(dist, "index.html.br"))).toBe(false);
  });

  it("keeps the first load small", () => {
    const html = readFileSync(join(dist, "index.html"), "utf8");
    const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? "");
    const bytes = scripts.map((path) => readFileSync(join(dist, `${path}.gz`)).length);
    expect(scripts.length).toBeGreaterThan(0);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_LIMIT_BYTES);
  });
});

function spokenTo(page: Page): Locator {
  return page.locator('[data-testid="chat-message"][data-role="assistant"]');
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByTestId("composer").fill(text);
  await page.getByTestId("composer").press("Enter");
}

async function violations(page: Page): Promise<readonly string[]> {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations: found } = await new AxeBuilder({ page }).withTags(tags).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

interface CanvasReading {
  readonly frameNumber: number;
  readonly boxes: readonly { readonly xyxy: readonly number[] }[];
  /** Colour at the middle of each box. */
  readonly colours: readonly string[];
}

/** Runs in the page: what the canvas says it shows, and what its pixels show. */
function readCanvas(): CanvasReading {
  const canvas = document.querySelector<HTMLCanvasElement>("[data-testid=live-canvas]")!;
  const boxes = JSON.parse(canvas.dataset.boxes ?? "[]") as CanvasReading["boxes"];
  const colours = boxes.map(({ xyxy }) => {
    const x = (((xyxy[0]! + xyxy[2]!) / 2) * canvas.width) / 1280;
    const y = (((xyxy[1]! + xyxy[3]!) / 2) * canvas.height) / 720;
    return [...canvas.getContext("2d")!.getImageData(x, y, 1, 1).data.slice(0, 3)].join(",");
  });
  return { frameNumber: Number(canvas.dataset.frameNumber), boxes, colours };
}

/** Runs in the page: what of the chat is wider than its place, or cannot be scrolled into view. */
function findOverflow(): readonly string[] {
  const chat = document.querySelector("aside")!;
  const right = chat.getBoundingClientRect().right;
  const isInside = (element: Element): boolean => {
    for (let box = element.parentElement; box !== null && box !== chat; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return box.getBoundingClientRect().right <= right + 1;
    }
    return false;
  };
  const wide = [...chat.querySelectorAll("*")].filter((element) => element.getBoundingClientRect().right > right + 1);
  const conversation = chat.querySelector("[aria-label=Conversation]")!;
  return [
    ...wide.filter((element) => !isInside(element)).map(({ tagName }) => `${tagName} is cut off`),
    ...(conversation.scrollWidth > conversation.clientWidth ? ["the conversation scrolls sideways"] : []),
    ...(right > innerWidth + 1 ? ["the chat is wider than the page"] : []),
    ...(document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : []),
  ];
}

/** Runs in the page: how much of a box is still to be scrolled. */
function distanceFromEnd({ scrollHeight, scrollTop, clientHeight }: Element): number {
  return scrollHeight - scrollTop - clientHeight;
}

/** Runs in the page: as if another tab came to the front, or this one returned. */
function hidePage(hidden: boolean): void {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

function isNear(colour: string, hex: string): boolean {
  const wanted = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
  return colour.split(",").every((value, channel) => Math.abs(Number(value) - wanted[channel]!) < 24);
}

function paint(frameNumber: number): Buffer {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const surface = canvas.getContext("2d");
  surface.fillStyle = "#b9c3cc";
  surface.fillRect(0, 0, WIDTH, HEIGHT);
  for (const { colour, xyxy } of walkersAt(frameNumber)) {
    surface.fillStyle = colour;
    surface.fillRect(xyxy[0], xyxy[1], xyxy[2] - xyxy[0], xyxy[3] - xyxy[1]);
  }
  return canvas.toBuffer("image/jpeg", 80);
}
