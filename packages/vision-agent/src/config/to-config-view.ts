// configuration → the same under the names of config.yaml, without a secret
import type { Secret } from "@vision-agent/agent-core";
import type { Config } from "./config-schema.ts";
import { toShownAddress } from "./shown-address.ts";

/** What may be shown of a key: that there is one. */
export type MaskedKey = "***" | null;

export type ConfigView = ReturnType<typeof toConfigView>;

/** For people and for `GET /api/config`: every value in force, keys and passwords masked. */
export function toConfigView(config: Config) {
  const {
    server,
    llm,
    inference,
    workspace,
    heartbeat,
    monitoring,
    agent,
    sinks,
    egress,
    demo,
    events,
    recording,
    location,
  } = config;
  const { slack } = config.interface;
  return {
    server: {
      host: server.host,
      port: server.port,
      names: [...server.names],
      tls: { cert: server.tls?.cert ?? null, key: server.tls?.key ?? null },
      behind_proxy: {
        url: server.behindProxy?.url ?? null,
        addresses: [...(server.behindProxy?.addresses ?? [])],
      },
    },
    llm: {
      provider: llm.provider,
      model: llm.model,
      fallback_model: llm.fallbackModel,
      api_key: mask(llm.apiKey),
      base_url: shown(llm.baseUrl),
      max_tokens: llm.maxTokens,
      thinking: { enabled: llm.thinking.enabled, budget_tokens: llm.thinking.budgetTokens },
      cost_limit_daily: llm.costLimitDaily,
      cost_limit_monthly: llm.costLimitMonthly ?? null,
    },
    inference: {
      backend: inference.backend,
      api_key: mask(inference.apiKey),
      servers: inference.servers.map(({ label, url, apiKey }) => ({
        label,
        url: toShownAddress(url),
        api_key: mask(apiKey),
      })),
      roboflow_api_url: toShownAddress(inference.roboflowApiUrl),
      local_models: inference.localModels ?? null,
    },
    workspace: { path: workspace.path ?? null },
    location: { latitude: location?.latitude ?? null, longitude: location?.longitude ?? null },
    heartbeat: {
      enabled: heartbeat.enabled,
      interval_minutes: heartbeat.intervalMinutes,
      active_hours: heartbeat.activeHours ? `${heartbeat.activeHours.from}-${heartbeat.activeHours.to}` : null,
      only_after_events: heartbeat.onlyAfterEvents,
    },
    monitoring: {
      escalation_confidence: monitoring.escalationConfidence,
      max_results_per_consume: monitoring.maxResultsPerConsume,
      result_image_max_dimension: monitoring.resultImageMaxDimension,
    },
    interface: {
      type: config.interface.type,
      slack: {
        bot_token: mask(slack.botToken),
        app_token: mask(slack.appToken),
        alert_channel: slack.alertChannel ?? null,
      },
    },
    agent: { ...agent },
    sinks: {
      allow_private_addresses: sinks.allowPrivateAddresses,
      mail_ca_file: sinks.mailCaFile ?? null,
      s3_endpoint: shown(sinks.s3Endpoint),
    },
    demo,
    egress: { images: egress.images, remote_hosts: [...egress.remoteHosts] },
    recording: { keep_hours: recording.keepHours, max_megabytes: recording.maxMegabytes },
    events: {
      keep_days: events.keepDays,
      max_megabytes: events.maxMegabytes,
      trace_hours: events.traceHours,
      trace_megabytes: events.traceMegabytes,
    },
  };
}

function mask(key: Secret | undefined): MaskedKey {
  return key === undefined ? null : "***";
}

function shown(address: string | undefined): string | null {
  return address === undefined ? null : toShownAddress(address);
}
