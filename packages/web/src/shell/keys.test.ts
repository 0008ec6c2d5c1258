import { describe, expect, it } from "vitest";
import { keyAction } from "./keys.ts";

const FREE = { typing: false, inDialog: false, singleKeys: true };

describe("keyAction", () => {
  it("knows the keys of the page", () => {
    expect(keyAction(press("/"), FREE)).toEqual({ kind: "compose" });
    expect(keyAction(press("?"), FREE)).toEqual({ kind: "show_keys" });
    expect(keyAction(press("3"), FREE)).toEqual({ kind: "camera", index: 2 });
    expect(keyAction(press("0"), FREE)).toEqual({ kind: "wall" });
    expect(keyAction(press("x"), FREE)).toBeUndefined();
  });

  it("leaves letters to the one who writes, but not Esc", () => {
    expect(keyAction(press("/"), { ...FREE, typing: true })).toBeUndefined();
    expect(keyAction(press("Escape"), { ...FREE, typing: true })).toEqual({ kind: "escape" });
  });

  it("leaves every key to an open dialog, and combinations to the browser", () => {
    expect(keyAction(press("Escape"), { ...FREE, inDialog: true })).toBeUndefined();
    expect(keyAction({ ...press("1"), ctrlKey: true }, FREE)).toBeUndefined();
  });

  it("can have its single keys switched off", () => {
    expect(keyAction(press("/"), { ...FREE, singleKeys: false })).toBeUndefined();
    expect(keyAction(press("Escape"), { ...FREE, singleKeys: false })).toEqual({ kind: "escape" });
  });
});

function press(key: string): Parameters<typeof keyAction>[0] {
  return { key, ctrlKey: false, metaKey: false, altKey: false };
}
