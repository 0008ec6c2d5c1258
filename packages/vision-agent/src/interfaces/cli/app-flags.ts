import type { BackendName, ProbeResult, ServerStatus, WorkflowSpec } from "@vision-agent/protocol";
import type { ParityReport } from "../../backends/parity.ts";
import type { Config } from "../../config/config-schema.ts";
import type { FilePort } from "../../workspace/file-port.ts";
import type { AppAddress } from "../http/server-note.ts";

/** What every command that needs an app takes. */
export interface AppFlags {
  readonly host?: string;
  readonly port?: string;
  /** Folder of the workspace. */
  readonly workspace?: string;
  /** `NAME=SOURCE` or a source, in place of the cameras of `CAMERAS.md`; empty takes those. */
  readonly cameras: readonly string[];
  /** False starts no demo pipeline. */
  readonly demo: boolean;
  /** True starts no pipeline and no watch, where only what is stored is asked for. Default false. */
  readonly asleep?: boolean;
}

/** Which conversation is gone on with; none begins a new one. */
export interface ChatFlags extends AppFlags {
  readonly session?: string;
  /** The most recently used one. */
  readonly continue: boolean;
  /** Tell the arguments and results of tools, too. Default false. */
  readonly verbose?: boolean;
}

export interface AskFlags extends ChatFlags {
  /** Paths of pictures. */
  readonly images: readonly string[];
  readonly json: boolean;
}

export interface ServeFlags extends AppFlags {
  /** Open the dashboard when there is a screen. */
  readonly open: boolean;
}

/** What every command takes that prints a list. */
export interface JsonFlags {
  /** Folder of the workspace. */
  readonly workspace?: string;
  readonly json: boolean;
}

export interface InitFlags extends JsonFlags {
  /** Ask nothing. */
  readonly yes: boolean;
  readonly provider?: "anthropic" | "openai" | "offline";
  readonly serverUrl?: string;
  /** `NAME=SOURCE` */
  readonly cameras: readonly string[];
}

export interface ParityFlags extends JsonFlags {
  /** Path of a picture. */
  readonly image?: string;
  /** Camera name or source address, in place of a picture. */
  readonly camera?: string;
  /** Path of a workflow as JSON. */
  readonly spec?: string;
  /** Model in place of a workflow. */
  readonly model?: string;
}

/** An app that runs in this process. */
export interface RunningApp extends AppAddress {
  /** Where people on other computers find it; absent where they cannot. */
  readonly others?: { readonly url: string; readonly fingerprint?: string };
  /** Opens the dashboard, signed in, once. */
  readonly link: string;
  /** Folder of the workspace. */
  readonly folder: string;
  readonly speaker: string;
  readonly cameras: readonly string[];
  /** Name of the demo pipeline that begins with this start. */
  readonly demo?: string;
  /** At most five seconds. May be called twice. */
  stop(): Promise<void>;
}

/** The way into an app, tied by `main.ts`. */
export interface AppLauncher {
  /** Rejects with an error that `toStartFailure` puts into words. */
  start(flags: AppFlags, onNotice: (message: string) => void): Promise<RunningApp>;
  /** The app that runs on this workspace already. */
  findRunning(flags: AppFlags): Promise<AppAddress | undefined>;
  /** Reads the configuration of the workspace and leaves an app that runs there alone. */
  openBackends(flags: Pick<JsonFlags, "workspace">, onNotice: (message: string) => void): Promise<BackendTools>;
  /** What can be looked at and set up without an app. */
  openSetup(flags: Pick<JsonFlags, "workspace">): Promise<SetupTools>;
}

/** Settings, files and the machine, for `doctor`, `init` and `models`. Changes nothing by itself. */
export interface SetupTools {
  /** Folder of the workspace; it need not exist. */
  readonly folder: string;
  /** Folder of `config.yaml` and `.env`. */
  readonly configFolder: string;
  readonly files: FilePort;
  /** Reads the settings as they are now. Throws `ConfigError`. */
  loadConfig(): Promise<Config>;
  /** Makes what is missing of the workspace and gives what was made. Rejects with `WorkspaceError`. */
  makeWorkspace(): Promise<readonly string[]>;
  /** Opens a source once. Never rejects because of the source. */
  probe(source: string, signal: AbortSignal): Promise<ProbeResult>;
  /** Models that can be had without a key. */
  models(): Promise<readonly KnownModel[]>;
  /** What `ffmpeg -version` says first; undefined when there is none. */
  ffmpeg(): Promise<string | undefined>;
  /** Bytes free where the workspace is, or will be. */
  freeBytes(): Promise<number>;
  readonly fetch: typeof globalThis.fetch;
}

/** A model that can be had without a key. */
export interface KnownModel {
  readonly id: string;
  readonly summary: string;
  /** Its weights are on this machine. */
  readonly cached: boolean;
}

/** The backends of a workspace, without an app around them. */
export interface BackendTools {
  readonly configured: BackendName;
  /** Never rejects because of a server. */
  servers(): Promise<readonly ServerStatus[]>;
  /** Takes one picture of a camera by its name or address. Rejects with a sentence. */
  capture(camera: string): Promise<Uint8Array>;
  /** Runs the workflow on the picture, everywhere. The bytes are JPEG, PNG or WebP. */
  compare(spec: WorkflowSpec, picture: Uint8Array): Promise<ParityReport>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Where people read and write. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** A browser can be shown here. */
  readonly hasScreen: boolean;
}
