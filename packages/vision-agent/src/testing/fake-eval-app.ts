// an app that does what a script says, for tests
import type { Json, Message, TranscriptEntry } from "@vision-agent/agent-core";
import type { Alert, Camera, Job, PipelineStatus, RunOutcome, WatchReport, WorkflowSpec } from "@vision-agent/protocol";
import type { EvalApp } from "../evals/outcome.ts";
import type { ActivePipeline } from "../pipelines/active-state.ts";
import { fakeStatus, SPEC } from "./fake-app.ts";

/** What a turn says, and what the app is like after it; what is left out stays as it was. */
export interface ScriptedTurn {
  readonly answer?: string;
  readonly status?: RunOutcome["status"];
  readonly pipelines?: readonly ScriptedPipeline[];
  readonly watches?: readonly WatchReport[];
  readonly alerts?: readonly Alert[];
  readonly cameras?: readonly Camera[];
  readonly jobs?: readonly Job[];
  readonly mode?: string;
  readonly notes?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
  readonly costMicroUsd?: number;
}

export interface ScriptedPipeline {
  readonly status: PipelineStatus;
  readonly definition: ActivePipeline;
}

export interface ScriptedCall {
  readonly tool: string;
  readonly arguments?: { readonly [key: string]: Json };
  readonly outcome?: "ok" | "error";
  readonly result?: string;
}

export interface FakeEvalApp extends EvalApp {
  readonly said: readonly { readonly text: string; readonly pictures: number; readonly agrees: boolean }[];
  stops(): number;
}

/** Answers each turn with the next one of the script. */
export function fakeEvalApp(script: readonly ScriptedTurn[], before: ScriptedTurn = {}): FakeEvalApp {
  let state = before;
  let stops = 0;
  const said: { text: string; pictures: number; agrees: boolean }[] = [];
  const entries: TranscriptEntry[] = [];
  return {
    said,
    stops: () => stops,
    async say(text, { pictures, agrees }) {
      const turn = script[said.length] ?? {};
      said.push({ text, pictures: pictures.length, agrees });
      state = { ...state, ...turn };
      entries.push(...toEntries(turn, said.length));
      const { status = "finished", answer = "" } = turn;
      return status === "paused" ? { status, text: "", reason: answer } : { status, text: answer, reason: "" };
    },
    pipelines: async () => (state.pipelines ?? []).map(({ status }) => status),
    definitions: async () => (state.pipelines ?? []).map(({ definition }) => definition),
    watches: async () => state.watches ?? [],
    alerts: async () => state.alerts ?? [],
    cameras: async () => state.cameras ?? [],
    footageSeconds: async () => 20,
    currentMode: async () => state.mode ?? "home",
    jobs: async () => state.jobs ?? [],
    transcript: async () => entries,
    notes: async () => state.notes ?? [],
    stop: async () => {
      stops += 1;
    },
  };
}

const TS = "2026-01-01T10:00:00.000Z";

function toEntries({ calls = [], costMicroUsd = 0 }: ScriptedTurn, turn: number): readonly TranscriptEntry[] {
  const head = { v: 1, id: `entry_${turn}`, ts: TS } as const;
  const usage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: false,
  };
  const parts = calls.flatMap((call, index): Message["parts"] => {
    const callId = `call_${turn}_${index}`;
    return [
      {
        type: "tool_call",
        call: { id: callId, toolName: call.tool, arguments: call.arguments ?? {}, state: "complete" },
      },
      { type: "tool_result", callId, toolName: call.tool, outcome: call.outcome ?? "ok", content: textOf(call) },
    ];
  });
  const message: Message = { id: `msg_${turn}`, role: "assistant", parts, ts: TS, origin: "model" };
  return [
    { ...head, type: "usage", usage, costMicroUsd },
    { ...head, type: "message", message },
  ];
}

function textOf({ result }: ScriptedCall): { readonly type: "text"; readonly text: string }[] {
  return result === undefined ? [] : [{ type: "text", text: result }];
}

export interface FakePipelineOptions extends Partial<PipelineStatus> {
  readonly spec?: WorkflowSpec;
  readonly max_fps?: number;
  readonly alert_on?: ActivePipeline["alert_on"];
}

export function fakePipeline({
  spec = SPEC,
  max_fps,
  alert_on = [],
  ...over
}: FakePipelineOptions = {}): ScriptedPipeline {
  const status = fakeStatus(over);
  const { pipeline_id: id, name, video_reference, backend, started_at } = status;
  const definition = { id, name, video_reference, spec, backend, alert_on, paused: false, started_at };
  return { status, definition: { ...definition, ...(max_fps !== undefined && { max_fps }) } };
}

/** People who appear at the gate. */
export function fakeWatch(over: Partial<WatchReport> = {}): WatchReport {
  return {
    id: "watch_1",
    words: "tell me when a person appears at the gate",
    cameras: ["gate"],
    classes: ["person"],
    condition: { kind: "appears" },
    cooldown_seconds: 30,
    severity: "info",
    enabled: true,
    created_at: TS,
    state: { kind: "on", text: "on" },
    counts: { today: { seen: 2, suppressed: 1, sent: 1 }, total: { seen: 2, suppressed: 1, sent: 1 } },
    pipelines: [],
    ...over,
  };
}

export function fakeJob(over: Partial<Job> = {}): Job {
  return { id: "job_1", kind: "cron", schedule: "", instructions: "", enabled: true, runs: [], ...over };
}

export function fakeAlert(over: Partial<Alert> = {}): Alert {
  const head = { id: "alert_1", severity: "info", timestamp: TS, camera: "gate" } as const;
  return { ...head, text: "A person appeared on gate.", event_id: "event_1", held_back: 0, ...over };
}
