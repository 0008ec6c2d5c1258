// counts of the agent and figures of the pipelines → the text that Prometheus reads
import { healthSchema, type PipelineStatus } from "@vision-agent/protocol";
import { Counter, Gauge, Registry } from "prom-client";
import { withoutCredentials } from "../../workspace/camera-address.ts";
import type { HttpParts } from "./http-parts.ts";
import type { AddRoute } from "./route.ts";

export function addMetricsRoute(route: AddRoute, { metrics, ...parts }: HttpParts): void {
  const figures = Registry.merge([createFigures(parts), metrics]);
  route("GET /metrics", { about: "Figures for Prometheus" }, async (_input, reply) =>
    reply.type(figures.contentType).send(await figures.metrics()),
  );
}

type Figures = Pick<HttpParts, "pipelines" | "watches" | "clock" | "version" | "redact">;

/** Each is read anew whenever Prometheus asks. */
function createFigures({ pipelines, watches, clock, version, redact = (value) => value }: Figures): Registry {
  const registry = new Registry();
  const startedAt = clock.monotonic();
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name: `vision_agent_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  const info = { name: "vision_agent_info", help: "Always 1.", labelNames: ["version"], registers: [registry] };
  new Gauge(info).set({ version }, 1);
  gauge("uptime_seconds", "Since the start.", () => Math.round((clock.monotonic() - startedAt) / 1000));
  gauge("watches", "Watches that are on.", () => watches.list().filter(({ enabled }) => enabled).length);

  const perPipeline = (name: string, help: string) => ({
    name: `vision_agent_pipeline_${name}`,
    help,
    labelNames: ["pipeline_id", "name", "camera", "backend"],
    registers: [registry],
  });
  const pipelineGauge = (name: string, help: string, read: (one: PipelineStatus) => number): Gauge =>
    new Gauge({
      ...perPipeline(name, help),
      collect() {
        this.reset();
        for (const one of pipelines.list()) this.set(redact(labelsOf(one)), read(one));
      },
    });
  const pipelineCounter = (name: string, help: string, read: (one: PipelineStatus) => number): Counter =>
    new Counter({
      ...perPipeline(name, help),
      collect() {
        this.reset();
        for (const one of pipelines.list()) this.inc(redact(labelsOf(one)), read(one));
      },
    });
  pipelineGauge("up", "1 while it runs.", ({ status }) => (status === "running" ? 1 : 0));
  pipelineGauge("fps", "Frames looked at each second.", ({ fps }) => fps);
  pipelineCounter("frames_total", "Frames looked at.", ({ frames_processed }) => frames_processed);
  pipelineCounter("frames_dropped_total", "Frames that came too fast.", ({ frames_dropped }) => frames_dropped);
  return registry;
}

function labelsOf({ pipeline_id, name, video_reference, backend }: PipelineStatus): Record<string, string> {
  return { pipeline_id, name, camera: withoutCredentials(video_reference), backend };
}

export function addHealthRoutes(route: AddRoute, { version, mode, speaker, clock }: HttpParts): void {
  const startedAt = clock.monotonic();
  route(
    "GET /healthz",
    { about: "Ready: cameras and sessions are served", answer: healthSchema, role: "open" },
    () => ({
      status: "ok" as const,
      version,
      mode,
      speaker,
      uptime_seconds: Math.round((clock.monotonic() - startedAt) / 100) / 10,
    }),
  );
}
