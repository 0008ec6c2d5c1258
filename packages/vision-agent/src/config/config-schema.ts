import { Secret } from "@vision-agent/agent-core";
import { z } from "zod";

/** What each key takes, in words. Every key of the schema is here; an error message is made from it. */
export const ALLOWED: Readonly<Record<string, string>> = {
  server: "a group of keys: host, port",
  "server.host": "127.0.0.1, ::1 or localhost (the server has no password yet, so other machines may not reach it)",
  "server.port": "a whole number from 0 to 65535 (0 picks a free one)",
  llm: "a group of keys: provider, model, api_key, base_url",
  "llm.provider": "anthropic or offline",
  "llm.model": "the name of a model",
  "llm.api_key": `a key, best written as \${ANTHROPIC_API_KEY}`,
  "llm.base_url": "an http:// or https:// address",
  inference: "a group of keys: mode",
  "inference.mode": "direct, http or webrtc",
  demo: "true or false",
  events: "a group of keys: keep_days, max_megabytes",
  "events.keep_days": "a whole number of days from 1 to 3650",
  "events.max_megabytes": "a whole number of megabytes from 10 to 1000000",
};

const secret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));

/** `config.yaml` as people write it → the configuration as the program reads it. */
export const configSchema = z
  .strictObject({
    server: z
      .strictObject({
        host: z.enum(["127.0.0.1", "::1", "localhost"]).default("127.0.0.1"),
        port: z.int().min(0).max(65_535).default(4750),
      })
      .prefault({}),
    llm: z
      .strictObject({
        provider: z.enum(["anthropic", "offline"]).default("anthropic"),
        model: z.string().min(1).default("claude-sonnet-5-5"),
        api_key: secret.optional(),
        base_url: z.url({ protocol: /^https?$/ }).optional(),
      })
      .prefault({}),
    inference: z.strictObject({ mode: z.enum(["direct", "http", "webrtc"]).default("direct") }).prefault({}),
    demo: z.boolean().default(true),
    events: z
      .strictObject({
        keep_days: z.int().min(1).max(3650).default(14),
        max_megabytes: z.int().min(10).max(1_000_000).default(2000),
      })
      .prefault({}),
  })
  .transform(({ server, llm, inference, demo, events }) => ({
    server,
    /** Without a key, or with provider `offline`, the offline interpreter answers. */
    llm: { provider: llm.provider, model: llm.model, apiKey: llm.api_key, baseUrl: llm.base_url },
    inference,
    /** Start the demo pipeline on the very first run. */
    demo,
    /** How long scene events and their pictures stay, whichever limit is met first. */
    events: { keepDays: events.keep_days, maxMegabytes: events.max_megabytes },
  }));

type Frozen<T> = T extends Secret ? T : { readonly [K in keyof T]: T[K] extends object ? Frozen<T[K]> : T[K] };

/** The whole configuration, frozen. */
export type Config = Frozen<z.output<typeof configSchema>>;

/** Written on the first run: every key with its default, commented out. */
export const DEFAULT_CONFIG_TEXT = `# Vision Agent: every key with its default. Remove the "# " before a line to change it.
# Keys of the environment (or of .env beside this file) win over this file; \${NAME} is filled from them.

# server:
#   host: 127.0.0.1
#   port: 4750

# llm:
#   provider: anthropic        # or offline: no model is asked, plain instructions are read by rules
#   model: claude-sonnet-5-5
#   api_key: \${ANTHROPIC_API_KEY}
#   base_url: https://api.anthropic.com

# inference:
#   mode: direct               # pipelines run on this machine

# demo: true                   # a demo pipeline is started on the very first run

# events:
#   keep_days: 14              # scene events and their pictures
#   max_megabytes: 2000
`;
