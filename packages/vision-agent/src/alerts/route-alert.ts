// a scene event → cooldown → an alert → every channel, or the reason why not

import type { Clock, IdSource } from "@vision-agent/agent-core";
import type { Alert, SceneEvent, SceneEventKind, Severity, Watch } from "@vision-agent/protocol";
import { BackendError } from "../backends/backend.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { BoundedLog } from "../store/bounded-log.ts";
import { type ForgetTarget, type Forgotten, isCovered, toForgotten } from "../store/forget-target.ts";
import type { QuietReason } from "../watches/watch-times.ts";
import type { CameraNames } from "../workspace/camera-names.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { type AlertDecision, type AlertVerdict, type ToldVerdict, wantedByWatch } from "./alert-decision.ts";

const DEFAULT_COOLDOWN_MS = 30_000;
const MOST_UNASKED = 1000;
const DEFAULT_LIMIT = 100;
/** Gates that say no because nobody asked: not worth storing. */
const UNASKED: ReadonlySet<string> = new Set(["kind", "pipeline"]);
/** How far from the time asked for a decision still counts as an answer. */
const WHY_WINDOW_MS = 60_000;

const BACK_IN_TIME = "It was over before an alert was sent.";

/** Told whether anybody asked for it or not. */
const ALWAYS: Partial<Record<SceneEventKind, Severity>> = {
  camera_down: "warning",
  camera_frozen: "warning",
  camera_covered: "warning",
  camera_moved: "warning",
  camera_dark: "info",
  camera_up: "info",
};

/** A way to reach a person. */
export interface AlertChannel {
  readonly name: string;
  /** Rejects when the alert did not get through. */
  send(alert: Alert): Promise<void>;
}

export interface AlertRouterOptions {
  readonly pipelines: Pick<PipelineRegistry, "definition">;
  /** The watch of that id; undefined when it was removed. */
  readonly findWatch: (id: string) => Watch | undefined;
  readonly events: { onEvent(listener: (event: SceneEvent) => void): () => void };
  readonly channels: readonly AlertChannel[];
  readonly log: BoundedLog<Alert>;
  /** Where decisions survive a restart. */
  readonly decisions: Pick<BoundedLog<AlertDecision>, "entries" | "append" | "rewrite" | "settled">;
  /** Told every decision. Must not throw. */
  readonly onDecision?: (decision: AlertDecision) => void;
  /** Why a watch does not tell at a time (milliseconds since 1970); undefined when it does. */
  readonly quiet: (watch: Watch, ms: number) => QuietReason | undefined;
  /** Looks at the picture before the alert, where a watch asks for that. Never rejects. Default: nobody can look. */
  readonly check?: (watch: Watch, event: SceneEvent) => Promise<CheckOutcome>;
  /** Takes secrets out of what is told. Default: nothing is taken out. */
  readonly redact?: (text: string) => string;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Between two alerts of one kind from one pipeline, or about one camera. Raise for fewer alerts. Default 30 000. */
  readonly cooldownMs?: number;
  /** What a camera of that time is called now. Default: no camera was ever renamed. */
  readonly nameOf?: CameraNames["nameOf"];
  /** Told when alerts cannot be stored or do not get through, in a sentence. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** What a vision model said of it, or why none was asked: then the alert goes out and says so. */
export interface CheckOutcome {
  readonly kind: "confirmed" | "denied" | "unchecked";
  /** In a sentence. */
  readonly reason: string;
}

/** What a person is told without an event. */
export interface AlertMessage {
  readonly text: string;
  readonly severity: Severity;
  /** Name of the camera that it is about. */
  readonly camera?: string;
  /** Artifact id. */
  readonly picture?: string | undefined;
  /** The watch that a person tries: neither its counts nor its cooldown know of it. */
  readonly testOf?: string;
}

/** What was told, and the channels that it did not get through. */
export interface DeliveredAlert {
  readonly alert: Alert;
  readonly failures: Failures;
}

export type AlertRouter = Pick<Router, keyof Router>;

/** Listens to events from now on. Nothing that fails here reaches the events. */
export function createAlertRouter(options: AlertRouterOptions): AlertRouter {
  return new Router(options);
}

type Failures = AlertDecision["failures"];

interface Cooldown {
  /** When the picture of the last alert was taken, milliseconds since 1970. */
  readonly atMs: number;
  /** The same on the monotonic clock, for when the other was set back. */
  readonly monotonicMs: number;
  heldBack: number;
}

class Router {
  readonly #options: AlertRouterOptions;
  readonly #listeners = new Set<(alert: Alert) => void>();
  /** The newest about which nobody asked anything; the others are in the log. */
  readonly #unasked: AlertDecision[] = [];
  /** Cameras that got into trouble again within the cooldown: told at its end unless they are well by then. */
  readonly #troubleUntold = new Map<string, AbortController>();
  /** By `cooldownKey`. */
  readonly #cooldowns = new Map<string, Cooldown>();
  readonly #sending = new Set<Promise<void>>();
  readonly #leave: () => void;

  constructor(options: AlertRouterOptions) {
    this.#options = options;
    this.#rememberTold();
    this.#leave = options.events.onEvent((event) => this.#guarded(() => this.#route(event)));
  }

  /** Names of the ways to reach a person, beside the log. */
  channelNames(): readonly string[] {
    return this.#options.channels.map(({ name }) => name);
  }

  /** Newest first. Alerts survive a restart. */
  list(limit = DEFAULT_LIMIT): readonly Alert[] {
    if (limit <= 0) return [];
    const newest = this.#options.log.entries().slice(-limit).reverse();
    return newest.map((alert) => this.#withName(alert));
  }

  /** The listener must not throw. Returns the way to stop. */
  onAlert(listener: (alert: Alert) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells a person at once: no cooldown holds it back. Resolves when it is stored and every channel was tried. */
  async tell({ testOf, camera = "", ...message }: AlertMessage): Promise<DeliveredAlert> {
    const timestamp = new Date(this.#options.clock.now()).toISOString();
    const test = testOf === undefined ? {} : ({ watch_id: testOf, test: true } as const);
    const alert = this.#toAlert({ ...message, ...test, camera, timestamp, held_back: 0 });
    const failures: Failures = [];
    await this.#deliver(alert, failures);
    return { alert, failures };
  }

  /** Oldest first; the last 1000. */
  decisions(): readonly AlertDecision[] {
    return this.#options.decisions.entries().map((decision) => this.#withName(decision));
  }

  /** Why somebody was told, or not, about a camera around a time (ISO 8601); nearest first. */
  why(camera: string, at: string): readonly AlertDecision[] {
    const distance = ({ timestamp }: AlertDecision): number => Math.abs(Date.parse(timestamp) - Date.parse(at));
    const key = camera.toLowerCase();
    return [...this.decisions(), ...this.#unasked]
      .filter((decision) => decision.camera.toLowerCase() === key && distance(decision) <= WHY_WINDOW_MS)
      .sort((a, b) => distance(a) - distance(b));
  }

  /** Alerts about those events, or about the camera in that time. */
  async forget(target: ForgetTarget, { preview }: { readonly preview: boolean }): Promise<Forgotten> {
    const { log, decisions } = this.#options;
    const goes = ({ event_id = "", picture = "", camera, timestamp }: Alert): boolean =>
      target.events.has(event_id) || target.pictures.has(picture) || isCovered(target, camera, Date.parse(timestamp));
    const found = log.entries().filter(goes);
    if (!preview) {
      await log.rewrite((alert) => (goes(alert) ? undefined : alert));
      const isKept = ({ event_id }: AlertDecision): boolean => !target.events.has(event_id);
      await decisions.rewrite((decision) => (isKept(decision) ? decision : undefined));
      this.#unasked.splice(0, this.#unasked.length, ...this.#unasked.filter(isKept));
    }
    return toForgotten(found.map(({ timestamp, text }) => `${timestamp} ${text}`));
  }

  /** Stops listening and waits for what is being sent. May be called twice. */
  async close(): Promise<void> {
    this.#leave();
    for (const waiting of this.#troubleUntold.values()) waiting.abort();
    await Promise.all(this.#sending);
    await this.#options.log.settled();
    await this.#options.decisions.settled();
  }

  /** With the name that its camera has now. */
  #withName<T extends Pick<Alert, "camera" | "timestamp">>(told: T): T {
    const { nameOf } = this.#options;
    return nameOf ? { ...told, camera: nameOf(told.camera, Date.parse(told.timestamp)) } : told;
  }

  /** The cooldowns of watches go on over a restart. */
  #rememberTold(): void {
    const { clock, log } = this.#options;
    for (const { watch_id, camera, timestamp, test } of log.entries().map((alert) => this.#withName(alert))) {
      if (watch_id === undefined || test) continue;
      const atMs = Date.parse(timestamp);
      const monotonicMs = clock.monotonic() - Math.max(0, clock.now() - atMs);
      this.#cooldowns.set(`${watch_id} ${camera}`, { atMs, monotonicMs, heldBack: 0 });
    }
  }

  /** An alert that fails, whatever the reason, ends neither the camera's events nor the program. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.onProblem(`An alert could not be raised: ${reasonOf(error)}`);
    }
  }

  #route(event: SceneEvent): void {
    const verdict = this.#judge(event);
    if ("silent" in verdict) this.#suppress(event, verdict);
    else if (verdict.watch?.check) this.#tellIfConfirmed(event, verdict, verdict.watch);
    else this.#tell(event, verdict);
  }

  #suppress(event: SceneEvent, { silent, gate }: Extract<AlertVerdict, { silent: string }>): void {
    this.#decide(event, { reason: silent, gate, failures: [] });
  }

  #tell(event: SceneEvent, { severity, reason, watch }: ToldVerdict, note = ""): void {
    const alert = this.#raise(event, severity, `${watch?.text ?? event.text}${note}`);
    const failures: Failures = [];
    this.#decide(event, { alert_id: alert.id, reason, failures });
    void this.#deliver(alert, failures);
  }

  /** One question at a time for each watch and camera: meanwhile its cooldown runs. */
  #tellIfConfirmed(event: SceneEvent, told: ToldVerdict, watch: Watch): void {
    const key = cooldownKey(event);
    const before = this.#cooldowns.get(key);
    const asking = this.#startCooldown(event, before?.heldBack ?? 0);
    const { check = async () => NOBODY_LOOKS } = this.#options;
    const settle = ({ kind, reason }: CheckOutcome): void => {
      if (kind === "denied") {
        if (before) this.#cooldowns.set(key, { ...before, heldBack: asking.heldBack });
        else this.#cooldowns.delete(key);
        this.#suppress(event, { silent: reason, gate: "check" });
      } else {
        const note = kind === "unchecked" ? ` (Not checked: ${reason})` : "";
        this.#tell(event, { ...told, reason: `${told.reason} ${reason}` }, note);
      }
    };
    this.#keepUntilDone(check(watch, event).then((outcome) => this.#guarded(() => settle(outcome))));
  }

  /** Never rejects: what fails is told and noted. */
  #deliver(alert: Alert, failures: Failures): Promise<void> {
    for (const listener of this.#listeners) this.#guarded(() => listener(alert));
    const { channels } = this.#options;
    const sending = [this.#store(alert), ...channels.map((channel) => this.#send(channel, alert, failures))];
    const done = Promise.all(sending).then(() => undefined);
    this.#keepUntilDone(done);
    return done;
  }

  #keepUntilDone(work: Promise<void>): void {
    this.#sending.add(work);
    void work.finally(() => this.#sending.delete(work));
  }

  #judge(event: SceneEvent): AlertVerdict {
    const wanted = this.#wanted(event);
    if ("silent" in wanted) return wanted;
    if (event.kind === "camera_up")
      return this.#takeBack(event.camera) ? { silent: BACK_IN_TIME, gate: "recovered" } : wanted;
    const { cooldownMs } = wanted;
    const cooldown = this.#cooldowns.get(cooldownKey(event));
    const elapsedMs = this.#elapsedMs(cooldown, event);
    if (!cooldown || elapsedMs >= cooldownMs) return wanted;
    if (ALWAYS[event.kind]) this.#tellIfItStays(event, wanted, cooldownMs - elapsedMs);
    else cooldown.heldBack += 1;
    const seconds = (ms: number): number => Math.round(ms / 1000);
    return {
      silent: `Held back: the last alert of "${inWords(event.kind)}" on ${event.camera} was ${seconds(elapsedMs)} s ago, and the cooldown is ${seconds(cooldownMs)} s.`,
      gate: "cooldown",
    };
  }

  /** Between pictures: those of a busy machine are looked at late. */
  #elapsedMs(cooldown: Cooldown | undefined, event: SceneEvent): number {
    if (cooldown === undefined) return Number.POSITIVE_INFINITY;
    const { clock } = this.#options;
    const elapsedMs = this.#momentOf(event) - cooldown.atMs;
    return elapsedMs >= 0 ? elapsedMs : clock.monotonic() - cooldown.monotonicMs;
  }

  #startCooldown(event: SceneEvent, heldBack: number): Cooldown {
    const cooldown = { atMs: this.#momentOf(event), monotonicMs: this.#options.clock.monotonic(), heldBack };
    this.#cooldowns.set(cooldownKey(event), cooldown);
    return cooldown;
  }

  /** Trouble with a camera has no picture, and may be told later than it began. */
  #momentOf({ kind, timestamp }: SceneEvent): number {
    return ALWAYS[kind] ? this.#options.clock.now() : Date.parse(timestamp);
  }

  /** Nobody may believe that a camera is well because its second failure came soon after the first. */
  #tellIfItStays(event: SceneEvent, told: ToldVerdict, delayMs: number): void {
    const waiting = new AbortController();
    this.#troubleUntold.set(event.camera, waiting);
    const tell = (): void => {
      this.#troubleUntold.delete(event.camera);
      this.#guarded(() => this.#tell(event, told));
    };
    this.#keepUntilDone(this.#options.clock.sleep(delayMs, waiting.signal).then(tell, () => undefined));
  }

  /** True when what was wrong with the camera was not told yet, and is not told any more. */
  #takeBack(camera: string): boolean {
    this.#troubleUntold.get(camera)?.abort();
    return this.#troubleUntold.delete(camera);
  }

  #wanted(event: SceneEvent): AlertVerdict {
    const { kind, pipeline_id, watch_id } = event;
    const { cooldownMs = DEFAULT_COOLDOWN_MS, findWatch, quiet } = this.#options;
    const always = ALWAYS[kind];
    if (always) return { severity: always, reason: `"${inWords(kind)}" always raises an alert.`, cooldownMs };
    if (kind === "condition_false")
      return { silent: "A watch alerts when its condition comes true, not when it ends.", gate: "kind" };
    if (watch_id !== undefined) return wantedByWatch(findWatch(watch_id), event, quiet);
    try {
      const { alertOn } = this.#options.pipelines.definition(pipeline_id);
      if (alertOn.includes(kind))
        return { severity: "info", reason: `The pipeline alerts on "${inWords(kind)}".`, cooldownMs };
      const only = alertOn.length > 0 ? `, only on ${alertOn.map((one) => `"${inWords(one)}"`).join(", ")}` : "";
      return { silent: `The pipeline does not alert on "${inWords(kind)}"${only}.`, gate: "kind" };
    } catch (error) {
      if (!(error instanceof BackendError)) throw error;
      return { silent: "The pipeline that saw it has been stopped since.", gate: "pipeline" };
    }
  }

  #raise(event: SceneEvent, severity: Severity, text: string): Alert {
    const { id: event_id, timestamp, camera, watch_id, picture } = event;
    const heldBack = this.#cooldowns.get(cooldownKey(event))?.heldBack ?? 0;
    this.#startCooldown(event, 0);
    const told = heldBack > 0 ? `${text} (${heldBack} more since the last alert)` : text;
    return this.#toAlert({ severity, timestamp, camera, text: told, event_id, watch_id, picture, held_back: heldBack });
  }

  #toAlert(about: Omit<Alert, "id">): Alert {
    const { ids, redact = (text: string) => text } = this.#options;
    return { id: ids.next("alert"), ...about, text: redact(about.text) };
  }

  #decide(event: SceneEvent, outcome: Pick<AlertDecision, "alert_id" | "reason" | "failures" | "gate">): void {
    const { id, camera, kind, timestamp, watch_id } = event;
    const decision = { event_id: id, camera, kind, timestamp, ...(watch_id && { watch_id }), ...outcome };
    this.#options.onDecision?.(decision);
    if (UNASKED.has(outcome.gate ?? "")) {
      this.#unasked.push(decision);
      if (this.#unasked.length > MOST_UNASKED) this.#unasked.shift();
      return;
    }
    const { decisions, onProblem } = this.#options;
    this.#keepUntilDone(
      decisions.append(decision).catch((error: unknown) => {
        onProblem(`Why somebody was told or not could not be stored: ${reasonOf(error)}`);
      }),
    );
  }

  async #store(alert: Alert): Promise<void> {
    try {
      await this.#options.log.append(alert);
    } catch (error) {
      this.#options.onProblem(`An alert was sent but could not be stored: ${reasonOf(error)}`);
    }
  }

  async #send(channel: AlertChannel, alert: Alert, failures: Failures): Promise<void> {
    try {
      await channel.send(alert);
    } catch (error) {
      failures.push({ channel: channel.name, reason: reasonOf(error) });
      this.#options.onProblem(`An alert could not be sent through ${channel.name}: ${reasonOf(error)}`);
    }
  }
}

const NOBODY_LOOKS: CheckOutcome = { kind: "unchecked", reason: "no model that sees is configured." };

/** `line crossed` */
function inWords(kind: SceneEvent["kind"]): string {
  return kind.replaceAll("_", " ");
}

/** What one pipeline was asked to tell is not held back because of another; a camera is one for all. */
function cooldownKey({ camera, kind, pipeline_id, watch_id }: SceneEvent): string {
  if (watch_id !== undefined) return `${watch_id} ${camera}`;
  return ALWAYS[kind] ? `${kind} ${camera}` : `${kind} ${camera} ${pipeline_id}`;
}
