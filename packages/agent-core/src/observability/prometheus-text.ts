// a snapshot of the metrics → the text that Prometheus reads
import type { Histogram } from "./histogram.ts";
import type { Counts, MetricsSnapshot } from "./metrics.ts";

interface Sample {
  readonly labels: { readonly [name: string]: string };
  readonly value: number;
}

/** AF-37: all counters and histograms as text exposition format 0.0.4, each name with the prefix `agent_`. */
export function toPrometheusText(snapshot: MetricsSnapshot): string {
  const { runs, artifacts } = snapshot;
  const models = Object.entries(snapshot.models);
  const tools = Object.entries(snapshot.tools);
  const perModel = (read: (model: (typeof models)[number][1]) => number): Sample[] =>
    models.map(([model, metrics]) => ({ labels: { model }, value: read(metrics) }));
  return [
    counter("runs_started_total", [{ labels: {}, value: runs.started }]),
    counter("runs_ended_total", toSamples(runs.ended, "how")),
    counter("cost_micro_usd_total", [{ labels: {}, value: runs.costMicroUsd }]),
    histogram("run_duration_ms", [[{}, runs.wallMs]]),
    counter(
      "model_requests_total",
      perModel(({ requests }) => requests),
    ),
    counter(
      "model_input_tokens_total",
      perModel(({ inputTokens }) => inputTokens),
    ),
    counter(
      "model_output_tokens_total",
      perModel(({ outputTokens }) => outputTokens),
    ),
    counter(
      "model_cache_read_tokens_total",
      perModel(({ cacheReadTokens }) => cacheReadTokens),
    ),
    counter(
      "model_cache_write_tokens_total",
      perModel(({ cacheWriteTokens }) => cacheWriteTokens),
    ),
    counter(
      "model_retries_total",
      models.flatMap(([model, { retries }]) => toSamples(retries, "code", { model })),
    ),
    histogram(
      "model_duration_ms",
      models.map(([model, { durationMs }]) => [{ model }, durationMs]),
    ),
    histogram(
      "model_first_token_ms",
      models.map(([model, { firstTokenMs }]) => [{ model }, firstTokenMs]),
    ),
    counter(
      "tool_results_total",
      tools.flatMap(([tool, { outcomes }]) => toSamples(outcomes, "outcome", { tool })),
    ),
    histogram(
      "tool_duration_ms",
      tools.map(([tool, { durationMs }]) => [{ tool }, durationMs]),
    ),
    counter("errors_total", toSamples(snapshot.errors, "code")),
    counter("warnings_total", toSamples(snapshot.warnings, "code")),
    counter("pauses_total", toSamples(snapshot.pauses, "kind")),
    counter("context_actions_total", toSamples(snapshot.context, "action")),
    counter("budget_events_total", toSamples(snapshot.budget, "level")),
    counter("artifact_bytes_total", [{ labels: {}, value: artifacts.bytes }]),
  ].join("");
}

function toSamples(counts: Counts, label: string, labels: Sample["labels"] = {}): Sample[] {
  return Object.entries(counts).map(([name, value]) => ({ labels: { ...labels, [label]: name }, value }));
}

function counter(name: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  return `# TYPE agent_${name} counter\n${samples.map((sample) => line(name, sample)).join("")}`;
}

function histogram(
  name: string,
  series: readonly (readonly [labels: Sample["labels"], histogram: Histogram])[],
): string {
  if (series.length === 0) return "";
  const lines = series.flatMap(([labels, { buckets, sum, count }]) => {
    let upToHere = 0;
    const cumulative = buckets.map((bucket) => {
      upToHere += bucket.count;
      return line(`${name}_bucket`, { labels: { ...labels, le: String(bucket.upTo ?? "+Inf") }, value: upToHere });
    });
    return [
      ...cumulative,
      line(`${name}_sum`, { labels, value: sum }),
      line(`${name}_count`, { labels, value: count }),
    ];
  });
  return `# TYPE agent_${name} histogram\n${lines.join("")}`;
}

function line(name: string, { labels, value }: Sample): string {
  const inside = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `agent_${name}${inside.length > 0 ? `{${inside.join(",")}}` : ""} ${value}\n`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
