// the command line → a running product, for tests that stand outside it
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A machine that is busy with other things takes its time. */
const START_LIMIT_MS = 60_000;
const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export interface RunningProduct {
  readonly address: string;
  /** Of server.json. */
  readonly token: string;
  readonly pid: number;
  /** Everything printed so far, standard output and error. */
  output(): string;
  /** Resolves when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ProductOptions {
  readonly workspace: string;
  /** After `serve`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `vision-agent serve` on a free port and waits until it answers. */
export async function startProduct(options: ProductOptions): Promise<RunningProduct> {
  const child = spawnProduct(
    ["serve", "--no-open", "--port", "0", "--workspace", options.workspace, ...(options.flags ?? [])],
    options.env,
  );
  const printed = collectOutput(child);
  const exited = exitOf(child);
  const address = await Promise.race([
    whenPrinted(printed, /http:\/\/127\.0\.0\.1:\d+/),
    exited.then((code) => {
      throw new Error(`The product ended with ${code} before it was ready:\n${printed.text}`);
    }),
  ]);
  await whenHealthy(address);
  const { token } = JSON.parse(await readFile(join(options.workspace, "server.json"), "utf8")) as { token: string };
  return {
    address,
    token,
    pid: child.pid ?? -1,
    output: () => printed.text,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs the command to its end. */
export async function runCommand(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawnProduct(args, options.env);
  child.stdin?.end(options.input ?? "");
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const code = await exitOf(child);
  return { code, stdout, stderr };
}

/** A workspace folder that is gone after the test. */
export async function temporaryWorkspace(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), "vision-agent-"));
  return { folder: join(root, "home"), remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Asks again and again until the answer is there. */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined, limitMs = 20_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`No answer within ${limitMs} ms: ${ask}`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

/** A request as a program of the same user sends it. */
export function callProduct(
  { address, token }: Pick<RunningProduct, "address" | "token">,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${address}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
}

export async function getJson<T>(product: Pick<RunningProduct, "address" | "token">, path: string): Promise<T> {
  return readAnswer(path, await callProduct(product, path));
}

export async function postJson<T>(
  product: Pick<RunningProduct, "address" | "token">,
  path: string,
  body: unknown,
): Promise<T> {
  const headers = { "content-type": "application/json" };
  return readAnswer(path, await callProduct(product, path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function readAnswer<T>(path: string, response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

function spawnProduct(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const { ANTHROPIC_API_KEY: _key, ANTHROPIC_BASE_URL: _url, VISION_AGENT_HOME: _home, ...clean } = process.env;
  return spawn(process.execPath, [MAIN, ...args], { env: { ...clean, ...env }, stdio: ["pipe", "pipe", "pipe"] });
}

function collectOutput(child: ChildProcess): { text: string } {
  const printed = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      printed.text += chunk;
    });
  }
  return printed;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", done);
  });
}

function whenPrinted(printed: { readonly text: string }, pattern: RegExp): Promise<string> {
  return until(() => pattern.exec(printed.text)?.[0], START_LIMIT_MS);
}

function whenHealthy(address: string): Promise<true> {
  return until(() =>
    fetch(`${address}/healthz`).then(
      (response) => (response.ok ? true : undefined),
      () => undefined,
    ),
  );
}
