// pipelines, scene events, alerts and pauses → one SSE stream about the whole app
import type { AppEvent, PipelineStatus } from "@vision-agent/protocol";
import { seesCamera, viewerName } from "../../access/identity.ts";
import type { HttpParts } from "./http-parts.ts";
import type { AddRoute } from "./route.ts";
import { seesAlert } from "./seen-alerts.ts";
import { openSse } from "./sse.ts";

const PIPELINES_EVERY_MS = 1000;
/** A reader this far behind gets no more until it has caught up; it reads what it missed from the lists. */
const LONGEST_QUEUE = 200;

export function addEventStream(
  route: AddRoute,
  { pipelines, events, alerts, watches, pauses, admission }: HttpParts,
): void {
  const about = "Live events (SSE): pipelines, scene events, alerts, pauses";
  route("GET /api/stream", { about, streams: true, role: "viewer" }, async ({ who }, reply) => {
    const leave = admission.enter("event stream", viewerName(who));
    const stream = openSse(reply);
    const left = new Promise<void>((done) => stream.closed.addEventListener("abort", () => done(), { once: true }));
    let waiting = 0;
    const send = (event: AppEvent): void => {
      if (waiting >= LONGEST_QUEUE) return;
      waiting += 1;
      void stream.send({ event: event.type, data: event }).finally(() => {
        waiting -= 1;
      });
    };
    const sendPipelines = createThrottle(PIPELINES_EVERY_MS, (list) =>
      send({ type: "pipelines", pipelines: list.filter((one) => seesCamera(who, one.video_reference)) }),
    );
    const stops = [
      pipelines.onChange(sendPipelines.offer),
      events.onEvent((event) => seesCamera(who, event.camera) && send({ type: "scene_event", event })),
      alerts.onAlert((alert) => seesAlert(who, alert, watches) && send({ type: "alert", alert })),
      ...(who.role === "owner" ? [pauses.onChange(() => send({ type: "pauses" }))] : []),
      sendPipelines.stop,
    ];
    sendPipelines.offer(pipelines.list());
    await left;
    for (const stop of [...stops, leave]) stop();
    return reply;
  });
}

/** Passes the first list at once and then the newest at most once per interval. */
function createThrottle(intervalMs: number, pass: (list: readonly PipelineStatus[]) => void) {
  let timer: NodeJS.Timeout | undefined;
  let newest: readonly PipelineStatus[] | undefined;
  const tick = (): void => {
    timer = undefined;
    if (newest === undefined) return;
    pass(newest);
    newest = undefined;
    timer = setTimeout(tick, intervalMs);
  };
  return {
    offer(list: readonly PipelineStatus[]): void {
      newest = list;
      if (timer === undefined) tick();
    },
    stop: (): void => clearTimeout(timer),
  };
}
