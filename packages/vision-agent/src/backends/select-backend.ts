// configuration, task, source and workflow → one backend, and why
import type { BackendName, WorkflowSpec } from "@vision-agent/protocol";
import { withoutCredentials } from "../workspace/camera-address.ts";
import { BackendError, type InferenceBackend } from "./backend.ts";

/** `single` one picture · `pipeline` a camera, for long · `realtime_view` a person looks while it runs. */
export type BackendTask = "single" | "pipeline" | "realtime_view";

export interface BackendNeeds {
  readonly task: BackendTask;
  /** Asked for by name: it is taken, or the reason why it cannot be is thrown. */
  readonly wanted?: BackendName;
  /** Source of the pictures; absent when they are handed in. */
  readonly address?: string;
  readonly spec?: WorkflowSpec;
}

export interface BackendChoice {
  readonly backend: InferenceBackend;
  /** Why this one and not another, in a sentence for people. */
  readonly reason: string;
  /** Who else could run what does not run here, in a sentence. */
  readonly hint?: string;
}

export interface BackendFacts {
  /** `inference.backend` of the configuration. */
  readonly configured: BackendName;
  readonly backends: { readonly [name in BackendName]?: InferenceBackend };
  /** The configuration names an Inference server. */
  readonly serversNamed: boolean;
  /** Every server is on this machine and reads its files. */
  readonly serversLocal: boolean;
  /** Block types of a workflow that this machine cannot run. */
  readonly missingHere: (spec: WorkflowSpec) => readonly string[];
  /** Models of a workflow that no server has. */
  readonly modelsOnlyHere: (spec: WorkflowSpec) => readonly string[];
}

/** The backends of an app. */
export interface Backends {
  readonly configured: BackendName;
  readonly list: readonly InferenceBackend[];
  /** Throws `BackendError` when nobody can: `source` for what cannot be read, else `unavailable`. */
  choose(needs: BackendNeeds): BackendChoice;
  /** Throws `BackendError` kind `unavailable` when it is not there. */
  named(name: BackendName): InferenceBackend;
}

export function createBackends(facts: BackendFacts): Backends {
  const { configured, backends } = facts;
  return {
    configured,
    list: Object.values(backends),
    choose: (needs) => selectBackend(facts, needs),
    named: (name) => {
      const backend = backends[name];
      if (backend !== undefined) return backend;
      throw new BackendError({ kind: "unavailable", message: `The ${name} backend is not there.` });
    },
  };
}

const PLACE: Readonly<Record<BackendName, string>> = {
  direct: "on this machine (direct)",
  http: "on an Inference server (http)",
  webrtc: "on an Inference server (webrtc)",
};

/** The first of the candidates that can do it, with what spoke against those before it. */
export function selectBackend(facts: BackendFacts, needs: BackendNeeds): BackendChoice {
  const { names, because } = candidates(facts, needs);
  const rejected: Rejection[] = [];
  for (const name of names) {
    const rejection = name === "direct" ? refusalHere(facts, needs) : refusalByServer(name, facts, needs);
    const backend = facts.backends[name];
    if (rejection === undefined && backend !== undefined) {
      const hint = name === "direct" ? hintFor(facts, needs) : undefined;
      return { backend, reason: explain(name, because, rejected), hint };
    }
    rejected.push(rejection ?? { kind: "unavailable", why: `there is no ${name} backend here` });
  }
  const message = `It cannot run ${names.map((name, at) => `${PLACE[name]}: ${rejected[at]?.why}`).join("; ")}.`;
  const kind = rejected.every((one) => one.kind === "source") ? "source" : "unavailable";
  throw new BackendError({ kind, message });
}

interface Rejection {
  readonly kind: "source" | "unavailable";
  readonly why: string;
}

interface Candidates {
  /** The best first. */
  readonly names: readonly BackendName[];
  readonly because: string;
}

function candidates({ configured }: BackendFacts, { task, wanted, spec }: BackendNeeds): Candidates {
  if (wanted !== undefined) return { names: [wanted], because: "it was asked for" };
  if (task === "realtime_view" && (spec?.steps.length ?? 0) === 0) {
    return { names: ["direct"], because: "pictures without a workflow need no server" };
  }
  const because = `inference.backend is ${configured}`;
  if (configured === "direct") return { names: ["direct"], because };
  if (task === "single") return { names: ["http", "webrtc", "direct"], because };
  if (task === "realtime_view" || configured === "webrtc") return { names: ["webrtc", "http", "direct"], because };
  return { names: ["http", "direct"], because };
}

function refusalHere(facts: BackendFacts, { wanted, spec }: BackendNeeds): Rejection | undefined {
  // What was asked for here is tried here: the engine itself tells everything that is wrong.
  if (wanted === "direct" || facts.configured === "direct") return undefined;
  const missing = spec === undefined ? [] : facts.missingHere(spec);
  return missing.length === 0 ? undefined : reject("unavailable", `${missing.join(", ")} does not run there`);
}

function refusalByServer(name: BackendName, facts: BackendFacts, needs: BackendNeeds): Rejection | undefined {
  const { task, address, spec } = needs;
  const [model] = spec === undefined ? [] : facts.modelsOnlyHere(spec);
  if (model !== undefined) return reject("unavailable", `no server has the model ${model}`);
  // A single picture is taken here and sent; frames for WebRTC are, too.
  if (name === "webrtc" || task === "single" || address === undefined) return undefined;
  return unreadable(address, facts.serversLocal);
}

/** Why a server cannot open a source by itself. */
function unreadable(address: string, serversLocal: boolean): Rejection | undefined {
  const shown = withoutCredentials(address);
  if (/^sim:/i.test(address)) return reject("source", `a server cannot read the simulated camera ${shown}`);
  if (/^(?:webcam:|\/dev\/video)/i.test(address)) {
    return reject("source", `a server cannot read ${shown}, which is plugged into this machine`);
  }
  if (/^(?:rtsps?|https?):/i.test(address) || serversLocal) return undefined;
  return reject("source", `${shown} lies on this machine and the server is on another`);
}

function reject(kind: Rejection["kind"], why: string): Rejection {
  return { kind, why };
}

function explain(name: BackendName, because: string, rejected: readonly Rejection[]): string {
  if (rejected.length === 0) return `It runs ${PLACE[name]} because ${because}.`;
  const against = [...new Set(rejected.map(({ why }) => why))].join(", and ");
  return `It runs ${PLACE[name]} although ${because}: ${against}.`;
}

function hintFor({ missingHere, serversNamed, backends }: BackendFacts, { spec }: BackendNeeds): string | undefined {
  const missing = spec === undefined ? [] : missingHere(spec);
  if (missing.length === 0) return undefined;
  const types = missing.join(", ");
  return serversNamed && backends.http !== undefined
    ? `${types} runs on your Inference server: choose the http backend for it, or set inference.backend to http.`
    : `${types} needs an Inference server: set inference.server_url and choose the http backend.`;
}
