import { describe, expect, it } from "vitest";
import { type VisibilitySource, whileVisible } from "./keep-connected.ts";

describe("whileVisible", () => {
  it("stops when the page is hidden and starts again when it returns", () => {
    const page = new FakePage();
    const log: string[] = [];
    const end = whileVisible(page, () => {
      log.push("start");
      return () => log.push("stop");
    });
    page.show(false);
    page.show(true);
    page.show(true);
    end();
    end();
    expect(log).toEqual(["start", "stop", "start", "stop"]);
  });

  it("does not start on a page that is hidden", () => {
    const page = new FakePage();
    page.hidden = true;
    let started = 0;
    whileVisible(page, () => {
      started += 1;
      return () => undefined;
    });
    expect(started).toBe(0);
  });
});

class FakePage implements VisibilitySource {
  hidden = false;
  readonly #listeners = new Set<() => void>();

  addEventListener(_type: string, listener: () => void): void {
    this.#listeners.add(listener);
  }
  removeEventListener(_type: string, listener: () => void): void {
    this.#listeners.delete(listener);
  }
  show(visible: boolean): void {
    this.hidden = !visible;
    for (const listener of this.#listeners) listener();
  }
}
