import { storeVisionInputs, type VisionInput } from "../artifacts/vision-input.ts";
import { assertOutputCaps } from "../budget/call-meter.ts";
import { environmentTokens } from "../context/context-budget.ts";
import { createContextManager } from "../context/context-manager.ts";
import type { Summarizer } from "../context/summarizer.ts";
import type { TokenCounter } from "../context/token-counter.ts";
import type { LLMClient, ModelProfile } from "../llm/llm-client.ts";
import { createRetryBudget } from "../llm/retry.ts";
import type { SecretTokens } from "../observability/secret-tokens.ts";
import { AskedTools, LOAD_TOOLS, toSentTools } from "../tools/deferred-tools.ts";
import type { ToolExecutor } from "../tools/tool-executor.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { raceAbort } from "../types/clock.ts";
import { type AgentError, agentError } from "../types/errors.ts";
import { nearestName } from "../types/known-options.ts";
import type { ImagePart, Part, Principal } from "../types/message.ts";
import type { ArtifactRefs } from "./artifact-refs.ts";
import { CallIds } from "./call-ids.ts";
import { type EarlierRuns, findRunOfKey, leftOf, NO_EARLIER_RUNS } from "./earlier-runs.ts";
import { stop } from "./end.ts";
import { withoutFlushed } from "./flush.ts";
import { callReported, toRegister, toSummary } from "./host-callbacks.ts";
import { toAskGuard, writeUserMessage } from "./inbox.ts";
import type { RunJournal } from "./journal.ts";
import { Judge } from "./judge.ts";
import { RunMoney } from "./money.ts";
import {
  type AgentExecutorOptions,
  type ExecuteInput,
  isToolAllowed,
  type RunDetails,
  type StopPolicy,
  toRunSettings,
  toStopPolicy,
} from "./options.ts";
import { RunPauses } from "./pause.ts";
import { settleSession } from "./recover.ts";
import type { Begun, Loop, RunParts } from "./run.ts";
import { OutputGate, toAskedConfig } from "./structured-output.ts";
import { RunEnvironment, RunTools } from "./tools.ts";
import { ModelTurns } from "./turn.ts";

/** What all runs of an executor share. */
export interface AgentHost {
  readonly options: AgentExecutorOptions;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly secrets: SecretTokens;
  readonly refs: ArtifactRefs;
  /** What it learned from one run helps the next. */
  readonly counter: TokenCounter;
}

/** Opens the session and writes the message. Throws `AgentError` when the run cannot start. */
export async function beginMessage(input: ExecuteInput, parts: RunParts, host: AgentHost): Promise<Begun> {
  const { journal, signal } = parts;
  const { principal, mode, origin = "human" } = input;
  if (typeof input.text !== "string") throw agentError("invalid", "bad_options", "The message must be a text.");
  if (input.text.trim() === "" && !input.images?.length) {
    throw agentError("invalid", "empty_message", "The message has no text and no pictures.");
  }
  const { llm, model } = host.options;
  const profile = await raceAbort(llm.profile(input.model ?? model), signal);
  const images = admitImages(input.images ?? [], input.visionMode ?? "strict", profile, journal);
  await enterSession(principal, parts, host.options);
  const earlier = findRunOfKey(input.dedupeKey, journal.entries());
  const resumed = earlier?.runs && { limits: leftOfRun(input, earlier.runs, host), earlier: earlier.runs };
  const { loop, tools, pauses, gate } = await openRun(input, profile, parts, host, resumed);
  if (earlier?.outcome) await gate?.admitRepeated(earlier.outcome);
  if (earlier?.outcome) return { loop, ending: { kind: "repeat", outcome: earlier.outcome } };
  for (const { callId, action } of await settleSession(journal, tools)) {
    journal.warn("call_interrupted", `A call of an earlier run (${callId}) did not end: ${action}.`);
  }
  const { text, images: pasted } = await journal.takeText(input.text);
  const pictures = [...(await storeImages(images, principal, parts, host)), ...pasted];
  const settings = toRunSettings(input);
  if (earlier?.hasMessage) {
    await journal.write({ type: "run_started", task: text, settings });
    // It had asked, and nobody was told: the question still stands and is not asked a second time.
    return { loop, ending: pauses.stillWaiting() };
  }
  await pauses.closeAll(principal, "Denied: a new message came instead of an answer.");
  const refusal = await loop.askGuard(text);
  const { prompt } = host.options;
  const state = await raceAbort(prompt.state(mode), signal);
  const outside = prompt.outside ? await raceAbort(prompt.outside(mode), signal) : "";
  const message = journal.newMessage("user", origin, toParts(text, pictures, { state, outside }, tools.env));
  await journal.write({ type: "run_started", task: text, settings }, { sync: false });
  await writeUserMessage(message, refusal, journal);
  return { loop, ending: refusal === undefined ? undefined : stop("refusal", refusal) };
}

/** A run that a crash interrupted goes on with what it left of its limits. */
function leftOfRun(input: ExecuteInput, earlier: EarlierRuns, { options }: AgentHost): Partial<StopPolicy> {
  const { maxIterations, maxWallMs, maxCostMicroUsd } = toStopPolicy(options.stop, input.stop);
  const costMicroUsd = maxCostMicroUsd === undefined ? undefined : maxCostMicroUsd + earlier.grantedMicroUsd;
  return leftOf({ iterations: maxIterations, wallMs: maxWallMs, costMicroUsd }, earlier.metrics);
}

export function toForbidden(sessionId: string): AgentError {
  return agentError("invalid", "forbidden", `The session "${sessionId}" belongs to somebody else.`);
}

/** Opens the session for this person; absent is the host itself. Throws `AgentError` code `forbidden`, or as the store does. */
export async function enterSession(
  principal: Principal | undefined,
  { journal, signal }: Pick<RunParts, "journal" | "signal">,
  { authorize, sessions }: Pick<AgentExecutorOptions, "authorize" | "sessions">,
): Promise<void> {
  const { sessionId } = journal;
  const forbidden = toForbidden(sessionId);
  const isAllowed =
    !principal || !authorize || (await raceAbort(Promise.resolve(authorize(principal, sessionId)), signal));
  if (!isAllowed) throw forbidden;
  const session = await sessions.open(sessionId);
  // SC-16: without a rule of the host a session belongs to the user of its first run.
  const first = session.entries().find((entry) => entry.type === "run_started" && entry.settings !== undefined);
  const owner = first?.type === "run_started" ? first.settings?.principal.userId : undefined;
  if (principal && !authorize && (owner ?? principal.userId) !== principal.userId) {
    await session.close();
    throw forbidden;
  }
  journal.useSession(session);
}

/** A run whose session is open: its loop, and what the beginning itself works with. */
export interface BegunRun {
  readonly loop: Loop;
  readonly tools: RunTools;
  readonly pauses: RunPauses;
  readonly gate: OutputGate | undefined;
}

/** A run that goes on after a pause has what is left of its limits, and what it used of them. */
export async function openRun(
  details: RunDetails,
  profile: ModelProfile,
  parts: RunParts,
  host: AgentHost,
  resumed: { readonly limits: Partial<StopPolicy>; readonly earlier: EarlierRuns } = {
    limits: {},
    earlier: NO_EARLIER_RUNS,
  },
): Promise<BegunRun> {
  const { journal, signal, report } = parts;
  const { options, registry, executor, refs } = host;
  const output = details.config?.output;
  const gate = output && new OutputGate(output, details.checkOutput);
  const policy = toStopPolicy(options.stop, details.stop, resumed.limits);
  assertOutputCaps(details.config);
  parts.startDeadline(policy.maxWallMs);
  warnOfUnknownTools(details.tools, registry, journal);
  const env = new RunEnvironment(
    journal,
    options.environment,
    environmentTokens(options.context?.budget ?? {}, profile),
  );
  const retryBudget = createRetryBudget();
  const register = toRegister(options.artifactRegistry, report);
  const money = new RunMoney({ journal, profile, options, details, limitMicroUsd: policy.maxCostMicroUsd });
  const pay = (client: LLMClient): LLMClient => money.pay(client);
  const tools = new RunTools({ executor, journal, env, details, signal, retryBudget, register, pay });
  const pauses = new RunPauses({ journal, tools, stop: policy, userId: details.principal.userId, options });
  const blocks = await raceAbort(options.prompt.system(details.mode), signal);
  const system = blocks.map((block) => ({ ...block, text: host.secrets.hide(block.text) }));
  const { flush, context: { summarizer: own } = {} } = options;
  const summarizer: Summarizer | undefined = own && {
    summarize: (messages, about) =>
      callReported("context.summarizer", report, async () => toSummary(await own.summarize(messages, about))),
  };
  const context =
    options.contextManager ??
    createContextManager({
      ...options.context,
      summarizer,
      counter: host.counter,
      clock: options.clock,
      refOf: (id) => refs.get(id),
      beforeCompaction: async (messages, ending) => {
        journal.moveTo("compacting", "the conversation is long");
        const fresh = withoutFlushed(messages, journal.entries());
        if (!flush || fresh.length === 0) return;
        const about = { sessionId: journal.sessionId, reason: "compaction", signal: ending } as const;
        await callReported("flush", report, () => flush(fresh, about));
      },
    });
  const asked = new AskedTools();
  let loaded = 0;
  const config = toAskedConfig(details.config);
  const input = async () => {
    const entries = journal.entries();
    await refs.load(entries, loaded);
    loaded = entries.length;
    return {
      entries,
      system,
      tools: toSentTools(
        registry.listTools().filter(({ name }) => isToolAllowed(name, details.tools)),
        asked.readOn(entries),
        isToolAllowed(LOAD_TOOLS, details.tools),
      ),
      profile,
      model: details.model ?? options.model,
      config,
      signal,
      pay,
      newMessageId: () => journal.newId("msg"),
      now: () => journal.now(),
    };
  };
  const callIds = new CallIds(() => journal.entries());
  const scope = { sessionId: journal.sessionId, userId: details.principal.userId };
  const artifacts = { get: (id: string) => options.artifacts.get(id, scope) };
  const shared = { journal, signal, context, env, options, pauses };
  const turns = new ModelTurns({ ...shared, callIds, input, retryBudget, money, artifacts });
  const shrinkNext = (): void => turns.shrinkNext();
  const { earlier } = resumed;
  const judge = new Judge({ journal, tools, pauses, stop: policy, earlier, signal, gate, shrinkNext });
  const { sessionId } = journal;
  const askGuard = toAskGuard(options.guard, { sessionId, principal: details.principal, signal });
  return {
    loop: { turns, judge, callIds, askGuard, maxIterations: policy.maxIterations, earlierSteps: earlier.steps },
    tools,
    pauses,
    gate,
  };
}

/** A name that no tool has leaves the run without it; tools of a server may still come. */
function warnOfUnknownTools(tools: RunDetails["tools"], registry: ToolRegistry, journal: RunJournal): void {
  const known = [...registry.listTools().map(({ name }) => name), LOAD_TOOLS];
  for (const verb of ["allow", "deny"] as const) {
    for (const name of tools?.[verb]?.filter((wanted) => !known.includes(wanted)) ?? []) {
      const near = nearestName(name, known);
      const hint = near === undefined ? "." : `; did you mean "${near}"?`;
      journal.warn("unknown_tools", `There is no tool "${name}" to ${verb}${hint}`);
    }
  }
}

/** VI-7, VI-9: decided before anything is stored or sent. */
export function admitImages(
  images: readonly VisionInput[],
  mode: "strict" | "lenient",
  profile: ModelProfile,
  journal: RunJournal,
): readonly VisionInput[] {
  if (images.length === 0 || profile.supportsVision) return images;
  if (mode === "strict") {
    throw agentError(
      "capability",
      "model_no_vision",
      `The model ${profile.id} cannot see pictures. Choose one that can, or send the message without them. If it can, declare profiles: [{ id: "${profile.id}", supportsVision: true }] where its client is made.`,
    );
  }
  const isOne = images.length === 1;
  const leftOut = isOne ? "1 picture was left out" : `${images.length} pictures were left out`;
  journal.warn("images_dropped", `${leftOut}: ${profile.id} cannot see ${isOne ? "it" : "them"}.`);
  return [];
}

/** VI-5: bytes go to the store, references go on. */
export async function storeImages(
  images: readonly VisionInput[],
  { userId }: Principal,
  { journal, report }: Pick<RunParts, "journal" | "report">,
  { options, refs: known }: Pick<AgentHost, "options" | "refs">,
): Promise<readonly ImagePart[]> {
  if (images.length === 0) return [];
  const { artifacts: store, artifactRegistry } = options;
  const registry = { register: toRegister(artifactRegistry, report) };
  const scope = { sessionId: journal.sessionId, userId };
  const { parts, refs } = await storeVisionInputs(images, { store, scope, registry });
  for (const ref of refs) {
    known.add(ref);
    journal.emit({ type: "artifact", ref, reason: "input" });
  }
  return parts;
}

function toParts(
  text: string,
  pictures: readonly ImagePart[],
  { state, outside }: { readonly state: string; readonly outside: string },
  env: RunEnvironment,
): readonly Part[] {
  const ids = pictures.map(({ artifactId }) => artifactId);
  // A model sees the pictures and not their names, by which tools are told which one is meant.
  const names = ids.length === 0 ? "" : `Images of this message, in order: ${ids.join(", ")}.`;
  const moment = [state, names].filter((line) => line !== "").join("\n");
  const note = env.note();
  return [
    ...pictures,
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...(moment === "" ? [] : [{ type: "state_note" as const, text: moment }]),
    ...(outside === "" ? [] : [{ type: "state_note" as const, text: outside, untrusted: true }]),
    ...(note ? [note] : []),
  ];
}
