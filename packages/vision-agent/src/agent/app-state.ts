import type { PipelineStatus } from "@vision-agent/protocol";

/** The app as it is at this moment, as far as an answer can be wrong about it. */
export interface AppState {
  readonly cameras: readonly string[];
  readonly pipelines: readonly {
    readonly id: string;
    readonly name: string;
    readonly camera: string;
    readonly status: PipelineStatus["status"];
    /** A person is told of what it finds. Default false. */
    readonly tells?: boolean;
  }[];
  readonly watches: readonly {
    readonly id: string;
    readonly cameras: readonly string[];
    readonly enabled: boolean;
  }[];
  readonly tasks: readonly { readonly id: string }[];
}

/** Reads it back from the backend and the registries, anew each time. Must not reject. */
export type ReadAppState = () => Promise<AppState>;

type Pipeline = AppState["pipelines"][number];

/** Every name that a sentence may use, in small letters. */
export function namesOf({ cameras, pipelines, watches, tasks }: AppState): readonly string[] {
  return [
    ...cameras,
    ...pipelines.flatMap(({ id, name }) => [id, name]),
    ...watches.map(({ id }) => id),
    ...tasks.map(({ id }) => id),
  ].map((name) => name.toLowerCase());
}

export function isRunning({ status }: Pick<Pipeline, "status">): boolean {
  return status === "running" || status === "starting" || status === "reconnecting";
}

/** In one or two sentences, for a correction. */
export function describeApp({ pipelines, watches }: AppState): string {
  const words = pipelines.map(({ name, camera, status }) => `${name} on ${camera} (${status})`);
  const on = watches.filter(({ enabled }) => enabled).length;
  const first = words.length === 0 ? "No pipeline is running." : `Pipelines now: ${words.join(", ")}.`;
  return on === 0 ? first : `${first} ${on === 1 ? "One watch is" : `${on} watches are`} on.`;
}
