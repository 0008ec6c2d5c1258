// a script → a day on a virtual clock, with as many kills as asked for → what people were told
import { createMemoryArtifactStore, type IdSource } from "@vision-agent/agent-core";
import { createFakeClock } from "@vision-agent/agent-core/testing";
import type { Alert } from "@vision-agent/protocol";
import { openWatching, type Watching } from "../../open-watching.ts";
import { createActiveState } from "../../pipelines/active-state.ts";
import { createStopList, type StopList } from "../../stop-list.ts";
import { createCameraRegistry } from "../../workspace/camera-registry.ts";
import { createMemoryFiles, type MemoryFiles } from "../memory-files.ts";
import { createDayCameras } from "./day-cameras.ts";
import type { DayScript, Truth } from "./day-script.ts";

const START_MS = Date.UTC(2026, 5, 1);
const DAY_SECONDS = 86_400;

export interface SimulatedDay {
  /** In the order in which people got them. */
  readonly alerts: readonly Alert[];
  /** Scene events, those of watches left out. */
  readonly rawEvents: number;
  /** As the watches count at the end. */
  readonly counts: readonly {
    readonly words: string;
    readonly seen: number;
    readonly suppressed: number;
    readonly sent: number;
  }[];
  readonly problems: readonly string[];
}

/** `killsAt` are seconds of the day at which the program dies without a word and starts again. */
export async function liveDay(script: DayScript, killsAt: ReadonlySet<number> = new Set()): Promise<SimulatedDay> {
  const clock = createFakeClock(START_MS);
  const cameras = createDayCameras(script, START_MS);
  const disk = createMemoryFiles();
  const alerts: Alert[] = [];
  const problems: string[] = [];
  let number = 0;
  const ids: IdSource = {
    next(prefix) {
      number += 1;
      return `${prefix}_${number}`;
    },
  };
  const registry = createCameraRegistry({ markdown: "", extra: script.cameras.map((name) => `${name}=sim://street`) });
  const open = async (): Promise<Watching & { readonly kill: () => void; readonly stops: StopList }> => {
    const { files, die } = mortal(disk);
    const stops = createStopList({ limitMs: 10_000, onProblem: (message) => problems.push(message) });
    const path = (...names: readonly string[]): string => ["/w", ...names].join("/");
    const watching = await openWatching(
      {
        pipelines: cameras.pipelines,
        cameras: registry,
        places: { find: () => undefined, onChange: () => () => undefined },
        state: createActiveState({ files, path: path("active_state.json"), now: clock.now }),
        files,
        path,
        keep: {
          pictures: createMemoryArtifactStore(),
          indexPath: ":memory:",
          keepDays: 14,
          maxBytes: 2e9,
          traceHours: 24,
          traceBytes: 2e8,
        },
        channels: [{ name: "person", send: async (alert) => void alerts.push(alert) }],
        redact: (value) => value,
        timeZone: "UTC",
        location: undefined,
        clock,
        ids,
        onProblem: (message) => problems.push(message),
      },
      stops,
    );
    await watching.watches.load();
    await watching.watches.restore();
    return {
      ...watching,
      stops,
      kill: () => {
        cameras.disconnect();
        die();
      },
    };
  };
  let app = await open();
  for (const request of script.watches) await app.watches.create(request);
  for (const camera of script.cameras.filter(
    (name) => !cameras.pipelines.list().some((one) => one.video_reference === name),
  ))
    await cameras.pipelines.start({ videoReference: camera, spec: cameras.pipelines.definition("").spec });
  for (let second = 0; second < DAY_SECONDS; second += 1) {
    cameras.tick(second);
    await clock.advance(1000);
    if (!killsAt.has(second)) continue;
    app.kill();
    app = await open();
  }
  const counts = app.watches.list().map(({ words, counts: { total } }) => ({ words, ...total }));
  const rawEvents =
    app.events.count({}).total -
    app.events.count({ kind: "condition_true" }).total -
    app.events.count({ kind: "condition_false" }).total;
  await app.stops.stop();
  return { alerts, rawEvents, counts, problems };
}

/** What is missing, came twice, or should not have come, in a sentence each. */
export function compareWithTruth(truth: readonly Truth[], alerts: readonly Alert[]): readonly string[] {
  const secondOf = ({ timestamp }: Alert): number => (Date.parse(timestamp) - START_MS) / 1000;
  const fits = (one: Truth, alert: Alert): boolean =>
    alert.camera === one.camera &&
    alert.text.includes(one.says) &&
    secondOf(alert) >= one.from &&
    secondOf(alert) <= one.to;
  return [
    ...truth.flatMap((one) => {
      const told = alerts.filter((alert) => fits(one, alert)).length;
      return told === 1 ? [] : [`told ${told} times: ${one.camera} ${one.says}`];
    }),
    ...alerts
      .filter((alert) => !truth.some((one) => fits(one, alert)))
      .map((alert) => `not true: ${alert.timestamp} ${alert.camera} ${alert.text}`),
  ];
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
