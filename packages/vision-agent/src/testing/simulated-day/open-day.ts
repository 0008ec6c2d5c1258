// a script → everything between results and alerts, on a virtual clock and a disk that outlives kills
import { createMemoryArtifactStore, type IdSource } from "@vision-agent/agent-core";
import { createFakeClock, type FakeClock } from "@vision-agent/agent-core/testing";
import type { Alert } from "@vision-agent/protocol";
import { type OpenWatchingOptions, openWatching, type Watching } from "../../open-watching.ts";
import { createActiveState } from "../../pipelines/active-state.ts";
import { createStopList, type StopList } from "../../stop-list.ts";
import { FIXED_NAMES } from "../../workspace/camera-names.ts";
import { createCameraRegistry } from "../../workspace/camera-registry.ts";
import { createMemoryFiles, type MemoryFiles } from "../memory-files.ts";
import { createDayCameras, type DayCameras } from "./day-cameras.ts";
import type { DayScript } from "./day-script.ts";

/** A Monday. */
export const DAY_START_MS = Date.UTC(2026, 5, 1);

export interface DayOptions extends Partial<Pick<OpenWatchingOptions, "location">> {
  /** When second 0 is. Default: a Monday, 00:00. */
  readonly startMs?: number;
  /** How alerts get through. Default: they do. */
  readonly send?: () => Promise<void>;
  /** What looks before an alert, on the day's clock. Default: nobody. */
  readonly openCheck?: (clock: FakeClock) => Promise<NonNullable<OpenWatchingOptions["check"]>>;
}

type RunningWatching = Watching & { readonly stops: StopList; readonly die: () => void };

export interface Day {
  readonly clock: FakeClock;
  readonly cameras: DayCameras;
  /** In the order in which people got them. */
  readonly alerts: readonly Alert[];
  readonly problems: readonly string[];
  /** The program that runs now. */
  readonly app: () => Watching;
  /** Lives on until that second of the day. */
  goTo(second: number): Promise<void>;
  /** The program dies without a word and starts again. */
  kill(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openDay(
  script: DayScript,
  { openCheck, location, send, startMs = DAY_START_MS }: DayOptions = {},
): Promise<Day> {
  const clock = createFakeClock(startMs);
  const check = await openCheck?.(clock);
  const cameras = createDayCameras(script, startMs);
  const disk = createMemoryFiles();
  const alerts: Alert[] = [];
  const problems: string[] = [];
  const onProblem = (message: string): void => void problems.push(message);
  const registry = createCameraRegistry({ markdown: "", extra: script.cameras.map((name) => `${name}=sim://street`) });
  const ids = countingIds();
  const pictures = createMemoryArtifactStore();
  const open = async (): Promise<RunningWatching> => {
    const { files, die } = mortal(disk);
    const stops = createStopList({ limitMs: 10_000, onProblem });
    const path = (...names: readonly string[]): string => ["/w", ...names].join("/");
    const watching = await openWatching(
      {
        pipelines: cameras.pipelines,
        cameras: registry,
        names: FIXED_NAMES,
        places: { find: () => undefined, onChange: () => () => undefined },
        state: createActiveState({ files, path: path("active_state.json"), now: clock.now }),
        files,
        path,
        keep: { pictures, indexPath: ":memory:", keepDays: 14, maxBytes: 2e9, traceHours: 24, traceBytes: 2e8 },
        channels: [{ name: "person", send: send ?? (async (alert) => void alerts.push(alert)) }],
        redact: (value) => value,
        timeZone: "UTC",
        location,
        clock,
        ids,
        onProblem,
        ...(check && { check }),
      },
      stops,
    );
    await watching.watches.load();
    await watching.watches.restore();
    return { ...watching, stops, die };
  };
  let app = await open();
  for (const request of script.watches) await app.watches.create(request);
  const isWatched = (name: string): boolean => cameras.pipelines.list().some((one) => one.video_reference === name);
  for (const camera of script.cameras.filter((name) => !isWatched(name)))
    await cameras.pipelines.start({ videoReference: camera, spec: cameras.pipelines.definition("").spec });
  let now = 0;
  return {
    clock,
    cameras,
    alerts,
    problems,
    app: () => app,
    async goTo(second) {
      for (; now < second; now += 1) {
        cameras.tick(now);
        await clock.advance(1000);
      }
    },
    async kill() {
      cameras.disconnect();
      app.die();
      app = await open();
    },
    close: () => app.stops.stop(),
    [Symbol.asyncDispose]: () => app.stops.stop(),
  };
}

function countingIds(): IdSource {
  let number = 0;
  return {
    next(prefix) {
      number += 1;
      return `${prefix}_${number}`;
    },
  };
}

/** The disk of a process that can be killed: after that nothing it writes arrives. */
function mortal(disk: MemoryFiles): { readonly files: MemoryFiles; readonly die: () => void } {
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  const alive =
    <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      isDead ? never : work(...args);
  const files: MemoryFiles = {
    ...disk,
    writeAtomic: alive(disk.writeAtomic),
    append: alive(disk.append),
    createNew: alive(disk.createNew),
    rename: alive(disk.rename),
    remove: alive(disk.remove),
  };
  return { files, die: () => (isDead = true) };
}
