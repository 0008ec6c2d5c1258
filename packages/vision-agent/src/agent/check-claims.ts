// claims + effects of the turn + the app read back → what is not so, and what is

import { type AppState, describeApp, isRunning } from "./app-state.ts";
import type { Claim } from "./claim.ts";
import type { ClaimKind } from "./claim-words.data.ts";
import { mentions } from "./find-claims.ts";
import type { EffectKind, TurnEffect, TurnRecord } from "./turn-effects.ts";

export interface Evidence {
  readonly turn: TurnRecord;
  readonly app: AppState;
}

/** Effects that make a claim of this kind true. */
const PROOFS: Readonly<Record<ClaimKind, readonly EffectKind[]>> = {
  started: ["started", "resumed", "scheduled"],
  stopped: ["stopped", "paused", "removed"],
  paused: ["paused"],
  resumed: ["resumed", "started"],
  removed: ["removed", "stopped"],
  sent: ["sent"],
  scheduled: ["scheduled", "started"],
  remembered: ["remembered", "changed"],
  changed: ["changed", "started", "stopped", "paused", "resumed", "removed", "scheduled", "remembered", "other"],
  promised: ["started", "resumed", "scheduled", "changed"],
  done: ["started", "stopped", "paused", "resumed", "removed", "sent", "scheduled", "remembered", "changed", "other"],
};

const NOT_SO: Readonly<Record<ClaimKind, string>> = {
  started: "nothing was started",
  stopped: "nothing was stopped",
  paused: "nothing was paused",
  resumed: "nothing was resumed",
  removed: "nothing was removed",
  sent: "nothing was sent",
  scheduled: "nothing was scheduled",
  remembered: "nothing was written to memory",
  changed: "nothing was changed",
  promised: "nothing is set up that would tell you",
  done: "nothing was done",
};

const PICTURE = /\b(?:pictures?|frames?|snapshots?|images?|photos?|screenshots?)\b/;
const ALL = /\b(?:all|everything|every|each)\b/;
const ACTION =
  /\b(?:start|stop|pause|resume|watch|monitor|count|track|alert|notify|tell me (?:when|if)|let me know|send|e-?mail|remember|note|schedule|remind|remove|delete|cancel|change|set|update|add|create|turn|switch|rename|move|enable|disable|keep an eye|record|every)\b/i;

/** Why the claim is not so, as a sentence with what is; undefined when it holds or nobody can tell. */
export function refute(claim: Claim, { turn, app }: Evidence): string | undefined {
  if (claim.kind === "done" && !isOrder(turn.instruction)) return undefined;
  const proofs = proofsOf(claim, turn.effects);
  switch (claim.scope) {
    case "turn":
      return proofs.length === 0 && !isPromiseKept(claim, app)
        ? toCorrection(claim, turn, app)
        : contradiction(claim, proofs, app);
    case "state":
      return holds(claim, { turn, app }, proofs) ? undefined : toCorrection(claim, turn, app);
    case "earlier":
      return isContradicted(claim, { turn, app }) ? toCorrection(claim, turn, app) : undefined;
  }
}

/** Whether such an effect would make the claim true. A picture that is shown was sent, too. */
export function isProofOf({ kind, clause }: Claim, effect: EffectKind): boolean {
  const isShown = (kind === "sent" || kind === "remembered") && PICTURE.test(clause);
  return PROOFS[kind].includes(effect) || (isShown && effect === "captured");
}

function proofsOf(claim: Claim, effects: readonly TurnEffect[]): readonly TurnEffect[] {
  return effects.filter(({ ok, kind }) => ok && isProofOf(claim, kind));
}

/** What was set up before keeps telling, on the cameras that are named. */
function isPromiseKept({ kind, clause }: Claim, app: AppState): boolean {
  if (kind !== "promised") return false;
  const near = onCameras(clause, app);
  const wanted = app.cameras.filter((camera) => isNamed(clause, camera));
  const isNear = (cameras: readonly string[]): boolean =>
    wanted.length === 0 || wanted.some((one) => cameras.includes(one));
  return (
    near.some((pipeline) => pipeline.tells && isRunning(pipeline)) ||
    app.watches.some(({ enabled, cameras }) => enabled && isNear(cameras)) ||
    app.tasks.length > 0
  );
}

/** There was such an effect: is it still so, and is it about what the sentence names? */
function contradiction(claim: Claim, proofs: readonly TurnEffect[], app: AppState): string | undefined {
  const { kind, clause } = claim;
  const named = app.pipelines.filter(({ id, name }) => isNamed(clause, id) || isNamed(clause, name));
  if (kind === "started" || kind === "resumed") return startedElsewhere(claim, proofs, app);
  if (kind === "paused") return say(subjects(named, proofs, app).filter(({ status }) => status !== "paused"));
  if (kind !== "stopped") return undefined;
  const over = ALL.test(clause) ? onCameras(clause, app) : subjects(named, proofs, app);
  const isPaused = proofs.every((proof) => proof.kind === "paused");
  return say(over.filter((pipeline) => isRunning(pipeline) || (isPaused && pipeline.status !== "paused")));
}

function startedElsewhere({ clause }: Claim, proofs: readonly TurnEffect[], app: AppState): string | undefined {
  const begun = proofs.flatMap(({ about }) => app.pipelines.filter(({ id }) => isNamed(about, id)));
  const failed = begun.filter((pipeline) => !isRunning(pipeline) && pipeline.status !== "paused");
  if (failed.length > 0) return say(failed);
  const gone = proofs.filter(
    ({ tool, about }) => tool === "start_pipeline" && !begun.some(({ id }) => isNamed(about, id)),
  );
  if (gone.length > 0) return `Correction: what was started is no longer there. ${describeApp(app)}`;
  const cameras = app.cameras.filter((camera) => isNamed(clause, camera));
  const isAbout = (camera: string): boolean =>
    proofs.some(({ about }) => isNamed(about, camera)) ||
    app.pipelines.some((pipeline) => pipeline.camera.toLowerCase() === camera.toLowerCase() && isRunning(pipeline));
  const missing = proofs.length > 0 ? cameras.filter((camera) => !isAbout(camera)) : [];
  if (missing.length === 0) return undefined;
  return `Correction: nothing was started on ${missing.join(", ")}. ${describeApp(app)}`;
}

/** What the sentence names, else what the calls were about. */
function subjects(named: AppState["pipelines"], proofs: readonly TurnEffect[], app: AppState): AppState["pipelines"] {
  if (named.length > 0) return named;
  const firstLines = proofs.map(({ about }) => about.split("\n", 1)[0] ?? "");
  return app.pipelines.filter(({ id, name }) => firstLines.some((line) => isNamed(line, id) || isNamed(line, name)));
}

function onCameras(clause: string, { pipelines, cameras }: AppState): AppState["pipelines"] {
  const wanted = cameras.filter((camera) => isNamed(clause, camera)).map((camera) => camera.toLowerCase());
  return wanted.length === 0 ? pipelines : pipelines.filter(({ camera }) => wanted.includes(camera.toLowerCase()));
}

/** How things are, whoever made them so. */
function holds({ kind, clause, scope }: Claim, { turn, app }: Evidence, proofs: readonly TurnEffect[]): boolean {
  const named = app.pipelines.filter(({ id, name }) => isNamed(clause, id) || isNamed(clause, name));
  const near = named.length > 0 ? named : onCameras(clause, app);
  const watches = app.watches.filter(({ enabled }) => enabled);
  switch (kind) {
    case "started":
    case "resumed":
      // What was asked for just now is not what runs anyway.
      if (scope === "state" && near === app.pipelines && proofs.length === 0 && isOrder(turn.instruction)) return false;
      return near.some(isRunning) || (named.length === 0 && (watches.length > 0 || app.tasks.length > 0));
    case "paused":
      return near.some(({ status }) => status === "paused") || app.watches.some(({ enabled }) => !enabled);
    case "stopped":
      return ALL.test(clause) || named.length > 0
        ? !near.some(isRunning)
        : proofs.length > 0 || near.some((pipeline) => !isRunning(pipeline)) || !near.some(isRunning);
    case "scheduled":
    case "promised":
      return proofs.length > 0 || app.tasks.length > 0 || watches.length > 0;
    default:
      return (
        proofs.length > 0 || turn.effects.some(({ ok, kind: did }) => ok && did === "looked") || hadEarlier(kind, turn)
      );
  }
}

function isOrder(instruction: string): boolean {
  return ACTION.test(instruction) && !instruction.trim().endsWith("?");
}

function hadEarlier(kind: ClaimKind, { earlier }: TurnRecord): boolean {
  return earlier.some((effect) => effect.ok && PROOFS[kind].includes(effect.kind));
}

/** Of what was done before only the traces can be judged. */
function isContradicted(claim: Claim, evidence: Evidence): boolean {
  const { app, turn } = evidence;
  if (claim.kind === "started" || claim.kind === "resumed" || claim.kind === "scheduled") {
    return !holds(claim, evidence, []) && !hadEarlier(claim.kind, turn);
  }
  if (claim.kind !== "stopped" && claim.kind !== "removed") return false;
  return app.pipelines.some(
    (pipeline) => isRunning(pipeline) && (isNamed(claim.clause, pipeline.name) || isNamed(claim.clause, pipeline.id)),
  );
}

function toCorrection({ kind, scope }: Claim, { effects }: TurnRecord, app: AppState): string {
  const failed = effects.findLast((effect) => !effect.ok && PROOFS[kind].includes(effect.kind));
  const why = failed === undefined ? "" : ` ${failed.tool} answered: ${firstSentence(failed.answer)}`;
  const isAboutApp = kind !== "sent" && kind !== "remembered";
  const now = isAboutApp ? ` ${describeApp(app)}` : "";
  if (scope !== "turn") return `Correction: that is not so.${why}${now}`;
  return `Correction: ${NOT_SO[kind]}${kind === "promised" ? "" : " in this turn"}.${why}${now}`;
}

function say(wrong: AppState["pipelines"]): string | undefined {
  if (wrong.length === 0) return undefined;
  return `Correction: ${wrong.map(({ name, status }) => `${name} is ${status}`).join(", ")}.`;
}

function firstSentence(text: string): string {
  const line = text.split("\n", 1)[0]?.trim() ?? "";
  const short = line.length > 200 ? `${line.slice(0, 200)}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

function isNamed(text: string, name: string): boolean {
  return mentions(text, name.toLowerCase());
}
