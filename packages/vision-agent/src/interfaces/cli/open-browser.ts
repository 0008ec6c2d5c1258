import { spawn } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  linux: ["xdg-open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Shows an address in the person's browser. Nothing happens where that is not possible. */
export function openBrowser(address: string, platform: NodeJS.Platform): void {
  const opener = OPENERS[platform];
  if (opener === undefined) return;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  // No browser is no failure: the address is printed as well.
  child.on("error", () => undefined);
  child.unref();
}
