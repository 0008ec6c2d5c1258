/** What every command that needs a house takes. */
export interface HouseFlags {
  readonly host?: string;
  readonly port?: string;
  /** Folder of the workspace. */
  readonly workspace?: string;
  /** `NAME=SOURCE` or a source, in place of the cameras of `CAMERAS.md`; empty takes those. */
  readonly cameras: readonly string[];
  /** False starts no demo pipeline. */
  readonly demo: boolean;
}

export interface AskFlags extends HouseFlags {
  /** Paths of pictures. */
  readonly images: readonly string[];
  readonly json: boolean;
}

export interface ServeFlags extends HouseFlags {
  /** Open the dashboard when there is a screen. */
  readonly open: boolean;
}

/** A house that runs in this process. */
export interface RunningHouse {
  readonly address: string;
  /** Folder of the workspace. */
  readonly folder: string;
  readonly speaker: string;
  readonly cameras: readonly string[];
  /** Name of the demo pipeline that begins with this start. */
  readonly demo?: string;
  /** At most five seconds. May be called twice. */
  stop(): Promise<void>;
}

/** The way into a house, tied by `main.ts`. */
export interface HouseDoor {
  /** Rejects with an error that `toStartFailure` puts into words. */
  start(flags: HouseFlags, onNotice: (message: string) => void): Promise<RunningHouse>;
  /** Address of the house that runs on this workspace already. */
  findRunning(flags: HouseFlags): Promise<{ readonly address: string } | undefined>;
}

/** Where people read and write. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** A browser can be shown here. */
  readonly hasScreen: boolean;
}
