// a workflow → what its blocks do beyond computing, and to whom: from one table of all blocks
import { createHash } from "node:crypto";
import { type WorkflowSpec, type WorkflowStep, workflowSpecSchema } from "@vision-agent/protocol";
import { addressProblem, type KnownBlock, listKnownBlocks } from "@vision-agent/vision-engine";
import { shownAddress, withAsciiHosts } from "../workspace/camera-address.ts";
import { quoteWords } from "./quote-words.ts";
import type { ReachedPlace } from "./reached-place.ts";

/** `none` only computes. `outward` is everything that nobody here knows. */
export type BlockEffect = "none" | "sends" | "writes" | "connects" | "paid" | "secrets" | "outward";

const FAMILY_EFFECTS: Readonly<Record<string, BlockEffect>> = {
  analytics: "none",
  classical_computer_vision: "none",
  flow_control: "none",
  formatter: "none",
  fusion: "none",
  math: "none",
  model: "none",
  secrets_provider: "secrets",
  sink: "sends",
  sinks: "sends",
  transformation: "none",
  video: "none",
  visualization: "none",
};

/** By name without maker and version, where the family says something else. */
const BLOCK_EFFECTS: Readonly<Record<string, BlockEffect>> = {
  inner_workflow: "outward",
  kafka_consumer: "connects",
  local_file_sink: "writes",
  modbus_tcp: "connects",
  mqtt_reader: "connects",
  opc_reader: "connects",
  plc_reader: "connects",
  vision_event_bundle: "writes",
  visual_search: "sends",
  visual_search_classifier: "sends",
};

/** Properties that name who gets it, or where it lies. */
const TARGETS: ReadonlySet<string> = new Set([
  "active_learning_target_dataset",
  "base_url",
  "bcc_receiver_email",
  "bootstrap_servers",
  "bucket_name",
  "camera_ip",
  "camera_port",
  "cc_receiver_email",
  "channel",
  "database",
  "event_ingestion_url",
  "event_store_url",
  "host",
  "ip_address",
  "modbus_port",
  "plc_ip",
  "plc_port",
  "port",
  "receiver_email",
  "receiver_number",
  "relay_port",
  "s3_prefix",
  "smtp_port",
  "smtp_server",
  "table_name",
  "target_directory",
  "target_project",
  "topic",
  "url",
  "variables_storing_secrets",
  "workspace",
]);
/** Properties that choose the account there, and what is told to it beside the data. */
const ACCOUNT =
  /(?:^|_)(?:token|sid|key|key_id|password|username|user_name|sender_email|sender_number|provider|region|schema_name|namespace|headers|query_parameters)$/;
/** The end of a host name says whose it is: no host is longer. */
const LONGEST_PLACE = 2000;
const HOSTS: ReadonlySet<string> = new Set([
  "bcc_receiver_email",
  "bootstrap_servers",
  "camera_ip",
  "cc_receiver_email",
  "host",
  "ip_address",
  "plc_ip",
  "receiver_email",
  "smtp_server",
]);
const KEY = /(?:^|_)api_key$/;
/** A model block with this sends the frames it is unsure of to be labelled. */
const UPLOAD_TARGET = "active_learning_target_dataset";
const INNER_WORKFLOW = "inner_workflow";
const CHOSEN_LATER = "an address that is chosen while it runs";
const UNREADABLE = "an address that can be read in two ways";

const KNOWN: ReadonlyMap<string, KnownBlock> = new Map(
  listKnownBlocks().flatMap((block) => [block.type, ...block.aliases].map((name) => [name, block] as const)),
);

/** Undefined for a family that the table does not know. */
export function effectOfBlock({ type, family, properties }: KnownBlock): BlockEffect | undefined {
  const own = BLOCK_EFFECTS[nameOf(type)];
  if (own !== undefined) return own;
  if (family === "model" && properties.some(({ name }) => KEY.test(name))) return "paid";
  return FAMILY_EFFECTS[family];
}

/** Everything that a workflow reaches, workflows inside it included. Empty when it only computes. */
export function reachOf(spec: WorkflowSpec): readonly ReachedPlace[] {
  const { dynamic_blocks_definitions: code = [] } = spec;
  const own = Array.isArray(code) && code.length === 0 ? [] : [toCode(code)];
  return [...own, ...spec.steps.flatMap((step) => reachOfStep(step, spec))];
}

function reachOfStep(step: WorkflowStep, spec: WorkflowSpec): readonly ReachedPlace[] {
  const block = KNOWN.get(step.type);
  if (block !== undefined && nameOf(block.type) === INNER_WORKFLOW && step.workflow_workspace_id === undefined) {
    const inner = workflowSpecSchema.safeParse(step.workflow_definition);
    // Its inputs are bound by the step around it.
    if (inner.success) return reachOf({ ...inner.data, inputs: [] });
  }
  const effect = (block && effectOfBlock(block)) ?? "outward";
  const uploads = effect === "none" && (step[UPLOAD_TARGET] ?? null) !== null;
  if (effect === "none" && !uploads) return [];
  const name = nameOf(step.type);
  const targets = targetsOf(step, block, spec);
  const to = targets.map(({ shown }) => quoteWords(shown, LONGEST_PLACE)).join(", ");
  const isFixed = targets.every(({ isFixed }) => isFixed);
  const target = [name, ...targets.map(({ shown }) => shown)].join(" ");
  const kind = effect === "none" ? "sends" : effect;
  return [{ kind, target, sentence: toSentence(effect, name, to), isFixed, ...fingerprintOf(step, block) }];
}

function toSentence(effect: BlockEffect, name: string, to: string): string {
  switch (effect) {
    case "none":
    case "sends":
      return `It sends data out with ${name}${to === "" ? "" : ` to ${to}`}.`;
    case "writes":
      return `It writes files with ${name}${to === "" ? "" : ` into ${to}`}.`;
    case "connects":
      return `It connects with ${name} to ${to || "an address of its own"}.`;
    case "paid":
      return `It sends each frame to ${name}${to === "" ? "" : ` at ${to}`}, which is paid for.`;
    case "secrets":
      return `It reads secrets of the server: ${to || "all of them"}.`;
    case "outward":
      return `It uses ${quoteWords(name)}, which can do anything.`;
  }
}

interface BlockTarget {
  readonly shown: string;
  /** False where a value that is known only later decides. */
  readonly isFixed: boolean;
}

function targetsOf(step: WorkflowStep, block: KnownBlock | undefined, spec: WorkflowSpec): readonly BlockTarget[] {
  const names = (block?.properties ?? [])
    .filter(({ name }) => TARGETS.has(name))
    .flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  return names.flatMap((name) => {
    const value = step[name];
    if (value === undefined || value === null || value === "") return [];
    const { shown, isFixed } = toTarget(value, spec);
    // What does not fit into a question cannot be agreed to.
    if (shown.length > LONGEST_PLACE) return [{ shown: "more than can be shown", isFixed: false }];
    return [{ shown: HOSTS.has(name) ? withAsciiHosts(shown) : shown, isFixed }];
  });
}

/** The place as it is written, and the account, as far as they are in the step. */
function fingerprintOf(step: WorkflowStep, block: KnownBlock | undefined): Pick<ReachedPlace, "fingerprint"> {
  const told = (block?.properties ?? [])
    .map(({ name }) => name)
    .filter((name) => (TARGETS.has(name) || ACCOUNT.test(name)) && (step[name] ?? null) !== null)
    .map((name) => [name, step[name]]);
  if (told.length === 0) return {};
  return { fingerprint: createHash("sha256").update(JSON.stringify(told)).digest("hex") };
}

const INPUT = /^\$inputs\.([\w-]+)$/;

function toTarget(value: unknown, spec: WorkflowSpec): BlockTarget {
  const input = typeof value === "string" ? INPUT.exec(value)?.[1] : undefined;
  const fixed = input === undefined ? value : spec.inputs.find(({ name }) => name === input)?.default_value;
  const text = typeof fixed === "string" ? fixed : JSON.stringify(fixed ?? null);
  if (fixed === undefined || fixed === null || text.includes("$steps.") || text.includes("$inputs.")) {
    return { shown: CHOSEN_LATER, isFixed: false };
  }
  const problem = addressProblem(text) ?? (/^https?:(?!\/\/)/i.test(text) || undefined);
  return problem ? { shown: UNREADABLE, isFixed: false } : { shown: shownAddress(text), isFixed: true };
}

function toCode(definitions: unknown): ReachedPlace {
  const hash = createHash("sha256").update(JSON.stringify(definitions)).digest("hex");
  const sentence = "It runs code that is written in the workflow.";
  return { kind: "code", target: `code ${hash}`, sentence, isFixed: true };
}

/** `roboflow_core/webhook_sink@v1` → `webhook_sink`. */
function nameOf(type: string): string {
  return type.replace(/^[\w-]+\//, "").replace(/@[\w.]+$/, "");
}
