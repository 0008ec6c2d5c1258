import { Secret } from "@vision-agent/agent-core";
import { z } from "zod";

const secret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));

const ACTIVE_HOURS = /^((?:[01]\d|2[0-3]):[0-5]\d)\s*-\s*((?:[01]\d|2[0-3]):[0-5]\d)$/;

const webAddress = z.url({ protocol: /^https?$/ });

const servers = z
  .array(
    z.strictObject({
      label: z.string().regex(/^[\w.-]+$/),
      url: webAddress,
      api_key: secret.optional(),
    }),
  )
  .min(1)
  .refine((list) => new Set(list.map(({ label }) => label)).size === list.length);

const inference = z.strictObject({
  backend: z.enum(["direct", "http", "webrtc"]).default("direct"),
  server_url: webAddress.optional(),
  api_key: secret.optional(),
  servers: servers.optional(),
  roboflow_api_url: webAddress.default("https://api.roboflow.com"),
  local_models: z.string().min(1).optional(),
});

const llm = z.strictObject({
  provider: z.enum(["anthropic", "openai", "offline"]).default("anthropic"),
  model: z.string().min(1).optional(),
  fallback_model: z.string().min(1).optional(),
  api_key: secret.optional(),
  base_url: webAddress.optional(),
  max_tokens: z.int().min(1).max(128_000).default(4096),
  thinking: z
    .strictObject({
      enabled: z.boolean().default(false),
      budget_tokens: z.int().min(1024).max(128_000).default(4096),
    })
    .prefault({}),
  cost_limit_daily: z.number().min(0).max(100_000).default(10),
});

const slack = z.strictObject({
  bot_token: secret.optional(),
  app_token: secret.optional(),
  alert_channel: z.string().min(1).optional(),
});

/** An Inference server of the configuration. */
export interface ServerConfig {
  /** What people call it. */
  readonly label: string;
  readonly url: string;
  readonly apiKey: Secret | undefined;
}

/** `config.yaml` as people write it → the configuration as the program reads it. */
export const configSchema = z
  .strictObject({
    server: z
      .strictObject({
        host: z.enum(["127.0.0.1", "::1", "localhost"]).default("127.0.0.1"),
        port: z.int().min(0).max(65_535).default(4750),
      })
      .prefault({}),
    llm: llm.prefault({}),
    inference: inference.prefault({}),
    workspace: z.strictObject({ path: z.string().min(1).optional() }).prefault({}),
    heartbeat: z
      .strictObject({
        enabled: z.boolean().default(true),
        interval_minutes: z.int().min(1).max(1440).default(15),
        active_hours: z.string().regex(ACTIVE_HOURS).optional(),
        only_after_events: z.boolean().default(true),
      })
      .prefault({}),
    monitoring: z
      .strictObject({
        escalation_confidence: z.number().min(0).max(1).default(0.5),
        max_results_per_consume: z.int().min(1).max(256).default(10),
        result_image_max_dimension: z.int().min(64).max(640).default(640),
      })
      .prefault({}),
    interface: z
      .strictObject({ type: z.enum(["cli", "slack", "rest"]).default("rest"), slack: slack.prefault({}) })
      .prefault({}),
    agent: z
      .strictObject({ autonomy: z.enum(["advisory", "supervised", "autonomous"]).default("supervised") })
      .prefault({}),
    demo: z.boolean().default(true),
    events: z
      .strictObject({
        keep_days: z.int().min(1).max(3650).default(14),
        max_megabytes: z.int().min(10).max(1_000_000).default(2000),
      })
      .prefault({}),
  })
  .transform(({ server, llm, inference, workspace, heartbeat, monitoring, agent, demo, events, ...rest }) => ({
    server,
    llm: toLlm(llm),
    inference: toInference(inference),
    /** As written; who looks for the workspace has read it before. */
    workspace,
    /** How often the agent looks around by itself. */
    heartbeat: {
      enabled: heartbeat.enabled,
      intervalMinutes: heartbeat.interval_minutes,
      activeHours: toActiveHours(heartbeat.active_hours),
      /** False asks the model every time, whether something happened or not. */
      onlyAfterEvents: heartbeat.only_after_events,
    },
    monitoring: {
      /** What is less sure than this wakes no model, 0 to 1. */
      escalationConfidence: monitoring.escalation_confidence,
      /** Results that one look at a pipeline gives at most. */
      maxResultsPerConsume: monitoring.max_results_per_consume,
      /** Longest side in pixels of pictures that go to a model. */
      resultImageMaxDimension: monitoring.result_image_max_dimension,
    },
    interface: {
      /** What the command without a word opens: the dashboard (`rest`), the chat (`cli`), or Slack. */
      type: rest.interface.type,
      slack: {
        botToken: rest.interface.slack.bot_token,
        appToken: rest.interface.slack.app_token,
        alertChannel: rest.interface.slack.alert_channel,
      },
    },
    /** What the agent does without asking first. */
    agent,
    /** Start the demo pipeline on the very first run. */
    demo,
    /** How long scene events and their pictures stay, whichever limit is met first. */
    events: { keepDays: events.keep_days, maxMegabytes: events.max_megabytes },
  }));

/** Local times of the day, `HH:MM`; undefined is the whole day. */
function toActiveHours(written: string | undefined): { readonly from: string; readonly to: string } | undefined {
  const [, from = "", to = ""] = ACTIVE_HOURS.exec(written ?? "") ?? [];
  return from === "" ? undefined : { from, to };
}

/** The model of each provider when nobody names one, and the smaller one for when money is short. */
const USUAL_MODEL = { anthropic: "claude-sonnet-5-5", openai: "gpt-6.1-terra", offline: "offline" } as const;
const SMALLER_MODEL = { anthropic: "claude-haiku-5-5", openai: "gpt-6-luna", offline: "offline" } as const;

/** Without a key, or with provider `offline`, the offline interpreter answers. */
function toLlm(written: z.output<typeof llm>) {
  const { provider, model, fallback_model, api_key, base_url, max_tokens, thinking, cost_limit_daily } = written;
  return {
    provider,
    model: model ?? USUAL_MODEL[provider],
    fallbackModel: fallback_model ?? SMALLER_MODEL[provider],
    apiKey: api_key,
    baseUrl: base_url,
    /** Of one answer. */
    maxTokens: max_tokens,
    thinking: { enabled: thinking.enabled, budgetTokens: thinking.budget_tokens },
    /** Dollars a day, a hard stop; 0 lets no call through. */
    costLimitDailyUsd: cost_limit_daily,
  };
}

const STANDARD_SERVER = "http://localhost:9001";

function toInference(written: z.output<typeof inference>) {
  const { backend, server_url, api_key, servers = [], roboflow_api_url, local_models } = written;
  const single = server_url ?? (servers.length === 0 ? STANDARD_SERVER : undefined);
  const first = single === undefined ? [] : [{ label: freeLabel(servers), url: single, apiKey: api_key }];
  return {
    backend,
    /** Key of the Roboflow workspace: for its API, and for servers that have none of their own. */
    apiKey: api_key,
    /** Never empty: `server_url` first, then the list. */
    servers: [
      ...first,
      ...servers.map(({ label, url, api_key: own }) => ({ label, url, apiKey: own ?? api_key })),
    ] as readonly ServerConfig[],
    /** Somebody wrote down a server, or chose a backend that needs one. */
    serversNamed: server_url !== undefined || servers.length > 0 || backend !== "direct",
    roboflowApiUrl: roboflow_api_url,
    /** As written: relative to the workspace, `~` is the home folder. */
    localModels: local_models,
  };
}

/** `server_url` has no label of its own. */
function freeLabel(servers: readonly { readonly label: string }[]): string {
  return servers.some(({ label }) => label === "main") ? "server_url" : "main";
}

type Frozen<T> = T extends Secret | readonly unknown[]
  ? T
  : { readonly [K in keyof T]: T[K] extends object ? Frozen<T[K]> : T[K] };

/** The whole configuration, frozen. */
export type Config = Frozen<z.output<typeof configSchema>>;

/** Keys that are written in `config.yaml` and do nothing in this version. */
export function settingsWithoutUse({ interface: { type, slack } }: Config): readonly string[] {
  const used: Readonly<Record<string, unknown>> = {
    "interface.type: slack": type === "slack" || undefined,
    "interface.slack.bot_token": slack.botToken,
    "interface.slack.app_token": slack.appToken,
    "interface.slack.alert_channel": slack.alertChannel,
  };
  return Object.keys(used).filter((key) => used[key] !== undefined);
}
