// a running app → everything that it tells, for tests that look for what it must not tell
import { readdir, readFile } from "node:fs/promises";
import type { RunningApp } from "../interfaces/cli/app-flags.ts";

type Reached = Pick<RunningApp, "address" | "token">;

export async function askApp(
  { address, token }: Reached,
  path: string,
  body?: object,
  accept = "application/json",
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${token}`, accept, ...(body && { "content-type": "application/json" }) };
  const sent = body && { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${address}${path}`, { headers, ...sent });
  return { status: response.status, text: await response.text() };
}

/** Command lines of all processes of this machine that can be read, again and again. */
export async function watchCommands(seen: Set<string>, signal: AbortSignal): Promise<void> {
  if (process.platform !== "linux") return;
  while (!signal.aborted) {
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const read = ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")); // it has ended since
    for (const command of await Promise.all(read)) seen.add(command);
    await new Promise((next) => setTimeout(next, 20));
  }
}

/** The event stream of the whole app. */
export async function followEvents({ address, token }: Reached, signal: AbortSignal, tell: (text: string) => void) {
  try {
    const { body } = await fetch(`${address}/api/stream`, { signal, headers: { authorization: `Bearer ${token}` } });
    for await (const piece of body ?? []) tell(Buffer.from(piece).toString());
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
