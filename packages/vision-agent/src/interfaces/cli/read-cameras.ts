// --camera as it was typed → the same with the addresses that were left out of it
import type { EnvironmentVariables } from "@vision-agent/agent-core";
import { withoutCredentials } from "../../workspace/camera-address.ts";
import { UsageError } from "./exit-codes.ts";

export interface CameraSources {
  /** Asks for an address, which is not shown while it is typed. */
  readonly ask: (question: string) => Promise<string>;
  /** Throws `UsageError` when the file cannot be read. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  readonly env: EnvironmentVariables;
  readonly warn: (message: string) => void;
}

const ELSEWHERE = /^([^=/\\]+)=(?:(-)|@(.+)|env:(\w+))$/;

/**
 * Every user of the machine can read a command line: `NAME=-` asks for the address, `NAME=@FILE` reads it from a file,
 * `NAME=env:VARIABLE` from the environment. A password that stands there anyway works, with a warning. Throws `UsageError`.
 */
export async function readCameras(given: readonly string[], sources: CameraSources): Promise<readonly string[]> {
  const cameras: string[] = [];
  for (const text of given) {
    const [, name, isAsked, file, variable] = ELSEWHERE.exec(text.trim()) ?? [];
    if (name === undefined) {
      if (hasPassword(text)) sources.warn(`${WARNING} Write --camera NAME=-, NAME=@FILE or NAME=env:VARIABLE instead.`);
      cameras.push(text);
      continue;
    }
    const address = firstLine(await readAddress({ name, isAsked, file, variable }, sources));
    if (address === "") throw new UsageError(`--camera ${name}: no address was given.`);
    cameras.push(`${name}=${address}`);
  }
  return cameras;
}

const WARNING = "The password in --camera can be read by every user of this machine.";

interface Place {
  readonly name: string;
  readonly isAsked: string | undefined;
  readonly file: string | undefined;
  readonly variable: string | undefined;
}

async function readAddress({ name, isAsked, file, variable }: Place, sources: CameraSources): Promise<string> {
  if (isAsked !== undefined) return sources.ask(`Address of ${name}: `);
  if (file !== undefined) return new TextDecoder().decode(await sources.readFile(file));
  const value = sources.env[variable ?? ""];
  if (value === undefined) throw new UsageError(`--camera ${name}: the environment has no variable ${variable}.`);
  return value;
}

function hasPassword(text: string): boolean {
  const address = text.replace(/^[^=/\\]+=/, "").trim();
  return withoutCredentials(address) !== address;
}

function firstLine(text: string): string {
  return (text.split(/\r?\n/, 1)[0] ?? "").trim();
}
