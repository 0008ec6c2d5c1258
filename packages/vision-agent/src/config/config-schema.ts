import { Secret } from "@vision-agent/agent-core";
import { z } from "zod";

const secret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));

const ACTIVE_HOURS = /^((?:[01]\d|2[0-3]):[0-5]\d)\s*-\s*((?:[01]\d|2[0-3]):[0-5]\d)$/;

const webAddress = z.url({ protocol: /^https?$/ });

const hostName = z.union([z.ipv4(), z.ipv6(), z.string().regex(/^(?!\d+(?:\.\d+)*$)[a-z\d]([\w.-]*[a-z\d])?$/i)]);

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
  /** Key of the Roboflow workspace: for its API, and for servers that have none of their own. */
  api_key: secret.optional(),
  servers: servers.optional(),
  roboflow_api_url: webAddress.default("https://api.roboflow.com"),
  /** As written: relative to the workspace, `~` is the home folder. */
  local_models: z.string().min(1).optional(),
});

/** Without a key, or with provider `offline`, the offline interpreter answers. */
const llm = z.strictObject({
  provider: z.enum(["anthropic", "openai", "offline"]).default("anthropic"),
  model: z.string().min(1).optional(),
  fallback_model: z.string().min(1).optional(),
  api_key: secret.optional(),
  base_url: webAddress.optional(),
  /** Of one answer. */
  max_tokens: z.int().min(1).max(128_000).default(4096),
  thinking: z
    .strictObject({
      enabled: z.boolean().default(false),
      budget_tokens: z.int().min(1024).max(128_000).default(4096),
    })
    .prefault({}),
  /** Dollars a day, a hard stop; 0 lets no call through. */
  cost_limit_daily: z.number().min(0).max(100_000).default(10),
  /** The same for a calendar month; absent or null has none. */
  cost_limit_monthly: z.number().min(0).max(1_000_000).nullish(),
});

const slack = z.strictObject({
  bot_token: secret.optional(),
  app_token: secret.optional(),
  alert_channel: z.string().min(1).optional(),
});

/** `config.yaml` as people write it → the configuration as the program reads it. */
export const configSchema = z
  .strictObject({
    server: z
      .strictObject({
        /** Beyond loopback the server needs an account, and TLS or a reverse proxy. */
        host: hostName.default("127.0.0.1"),
        port: z.int().min(0).max(65_535).default(4750),
        /** Under which names and addresses clients may ask for it, beside those of loopback. */
        names: z.array(hostName).default([]),
        /** Paths as written: relative to the workspace, `~` is the home folder. */
        tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
        /** A reverse proxy that does TLS, and whose `X-Forwarded-*` headers are believed. */
        behind_proxy: z
          .strictObject({
            url: z.url({ protocol: /^https$/ }),
            addresses: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default(["127.0.0.1", "::1"]),
          })
          .optional(),
      })
      .prefault({}),
    llm: llm.prefault({}).transform(withModels),
    inference: inference.prefault({}).transform(withServers),
    /** As written; who looks for the workspace has read it before. */
    workspace: z.strictObject({ path: z.string().min(1).optional() }).prefault({}),
    /** How often the agent looks around by itself. */
    heartbeat: z
      .strictObject({
        enabled: z.boolean().default(true),
        interval_minutes: z.int().min(1).max(1440).default(15),
        /** Local times of the day, `HH:MM`; undefined is the whole day. */
        active_hours: z.string().regex(ACTIVE_HOURS).transform(toHours).optional(),
        /** False asks the model every time, whether something happened or not. */
        only_after_events: z.boolean().default(true),
      })
      .prefault({}),
    monitoring: z
      .strictObject({
        /** What is less sure than this wakes no model, 0 to 1. */
        escalation_confidence: z.number().min(0).max(1).default(0.5),
        /** Results that one look at a pipeline gives at most. */
        max_results_per_consume: z.int().min(1).max(256).default(10),
        /** Longest side in pixels of pictures that go to a model. */
        result_image_max_dimension: z.int().min(64).max(640).default(640),
      })
      .prefault({}),
    /** `type`: what the command without a word opens: the dashboard (`rest`), the chat (`cli`), or Slack. */
    interface: z
      .strictObject({ type: z.enum(["cli", "slack", "rest"]).default("rest"), slack: slack.prefault({}) })
      .prefault({}),
    /** What the agent does without asking first. */
    agent: z
      .strictObject({ autonomy: z.enum(["advisory", "supervised", "autonomous"]).default("supervised") })
      .prefault({}),
    /** What the sinks of workflows may reach. */
    sinks: z
      .strictObject({
        /** Web requests may go to this machine and the local network. */
        allow_private_addresses: z.boolean().default(false),
        /** Certificate (PEM) of your own mail server: a file, relative to the workspace. */
        mail_ca_file: z.string().min(1).optional(),
        /** A service that speaks S3, instead of Amazon's. */
        s3_endpoint: webAddress.optional(),
      })
      .prefault({}),
    /** Where the cameras are, in degrees, for sunrise and sunset. */
    location: z
      .strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
      .optional(),
    /** Start the demo pipeline on the very first run. */
    demo: z.boolean().default(true),
    /** Pictures that would leave this machine. */
    egress: z
      .strictObject({
        /** For cameras and destinations that nobody decided about. */
        images: z.enum(["never", "ask", "allow"]).default("ask"),
        /** `HOST` or `HOST:PORT` of programs on this machine that pass on what they receive, such as a proxy. */
        remote_hosts: z.array(z.string().trim().min(1)).default([]),
      })
      .prefault({}),
    /** What is kept of the streams of recorded cameras, whichever limit is met first. */
    recording: z
      .strictObject({
        keep_hours: z.int().min(1).max(8760).default(24),
        max_megabytes: z.int().min(10).max(10_000_000).default(5000),
      })
      .prefault({}),
    /** How long scene events and their pictures stay, whichever limit is met first. */
    events: z
      .strictObject({
        keep_days: z.int().min(1).max(3650).default(14),
        max_megabytes: z.int().min(10).max(1_000_000).default(2000),
        /** How long it is known what was in front of each camera, second by second, without pictures; 0: not at all. */
        trace_hours: z.int().min(0).max(720).default(24),
        trace_megabytes: z.int().min(1).max(100_000).default(200),
      })
      .prefault({}),
  })
  .transform(withCamelNames);

function toHours(written: string): { readonly from: string; readonly to: string } {
  const [, from = "", to = ""] = ACTIVE_HOURS.exec(written) ?? [];
  return { from, to };
}

/** The model of each provider when nobody names one, and the smaller one for when money is short. */
const USUAL_MODEL = { anthropic: "claude-sonnet-5-5", openai: "gpt-6.1-terra", offline: "offline" } as const;
const SMALLER_MODEL = { anthropic: "claude-haiku-5-5", openai: "gpt-6-luna", offline: "offline" } as const;

function withModels({ model, fallback_model, ...written }: z.output<typeof llm>) {
  const { provider } = written;
  return {
    ...written,
    model: model ?? USUAL_MODEL[provider],
    fallback_model: fallback_model ?? SMALLER_MODEL[provider],
  };
}

const STANDARD_SERVER = "http://localhost:9001";

function withServers({ server_url, servers = [], ...written }: z.output<typeof inference>) {
  const { backend, api_key } = written;
  const single = server_url ?? (servers.length === 0 ? STANDARD_SERVER : undefined);
  // `server_url` has no label of its own.
  const label = servers.some((server) => server.label === "main") ? "server_url" : "main";
  const first = single === undefined ? [] : [{ label, url: single }];
  return {
    ...written,
    /** Never empty: `server_url` first, then the list. */
    servers: [...first, ...servers].map((server) => ({ api_key, ...server })),
    /** Somebody wrote down a server, or chose a backend that needs one. */
    servers_named: server_url !== undefined || servers.length > 0 || backend !== "direct",
  };
}

type CamelName<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : S;
type CamelNames<T> = T extends Secret
  ? T
  : T extends readonly (infer E)[]
    ? readonly CamelNames<E>[]
    : T extends object
      ? { readonly [K in keyof T as CamelName<K>]: CamelNames<T[K]> }
      : T;

/** The names of the file → those of the program: `max_tokens` → `maxTokens`. */
function withCamelNames<T>(value: T): CamelNames<T> {
  const rename = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(rename);
    if (typeof one !== "object" || one === null || one instanceof Secret) return one;
    const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [camel(name), rename(inner)]));
  };
  return rename(value) as CamelNames<T>;
}

/** The whole configuration, frozen. */
export type Config = z.output<typeof configSchema>;

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
