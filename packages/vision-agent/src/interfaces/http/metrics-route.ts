// counts of the agent and figures of the pipelines → the text that Prometheus reads
import { toPrometheusText } from "@vision-agent/agent-core";
import type { PipelineStatus } from "@vision-agent/protocol";
import { withoutCredentials } from "../../workspace/camera-address.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";

type Figure = readonly [name: string, help: string, type: "gauge" | "counter", read: (one: PipelineStatus) => number];

const FIGURES: readonly Figure[] = [
  ["pipeline_up", "1 while it runs", "gauge", ({ status }) => (status === "running" ? 1 : 0)],
  ["pipeline_fps", "Frames looked at each second", "gauge", ({ fps }) => fps],
  ["pipeline_frames_total", "Frames looked at", "counter", ({ frames_processed }) => frames_processed],
  ["pipeline_frames_dropped_total", "Frames that came too fast", "counter", ({ frames_dropped }) => frames_dropped],
];

export function addMetricsRoute(server: HttpServer, { metrics, pipelines, watches, clock, version }: HttpParts): void {
  const startedAt = clock.monotonic();
  server.get("/metrics", { schema: { summary: "Figures for Prometheus" } }, async (_request, reply) => {
    const uptime = Math.round((clock.monotonic() - startedAt) / 1000);
    const text = [
      figure("info", "Always 1", "gauge", [`{version="${escapeLabel(version)}"} 1`]),
      figure("uptime_seconds", "Since the start", "gauge", [` ${uptime}`]),
      figure("watches", "Watches that are on", "gauge", [` ${watches.list().filter(({ enabled }) => enabled).length}`]),
      ...FIGURES.map(([name, help, type, read]) =>
        figure(
          name,
          help,
          type,
          pipelines.list().map((one) => `${labelsOf(one)} ${read(one)}`),
        ),
      ),
      toPrometheusText(metrics()),
    ];
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(text.join(""));
  });
}

function figure(name: string, help: string, type: string, samples: readonly string[]): string {
  const full = `vision_agent_${name}`;
  return [`# HELP ${full} ${help}.`, `# TYPE ${full} ${type}`, ...samples.map((sample) => `${full}${sample}`), ""].join(
    "\n",
  );
}

function labelsOf({ pipeline_id, name, video_reference, backend }: PipelineStatus): string {
  const labels = { pipeline_id, name, camera: withoutCredentials(video_reference), backend };
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`);
  return `{${pairs.join(",")}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
