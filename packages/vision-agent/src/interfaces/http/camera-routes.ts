// cameras: their names, a picture, a live view
import {
  type Camera,
  cameraChangeSchema,
  cameraSchema,
  newCameraSchema,
  probeResultSchema,
} from "@vision-agent/protocol";
import type { Picture } from "@vision-agent/vision-engine";
import { z } from "zod";
import { BackendError } from "../../backends/backend.ts";
import type { PipelineRegistry } from "../../pipelines/pipeline-registry.ts";
import { unknownCamera } from "../../tools/known-source.ts";
import type { RegisteredCamera } from "../../workspace/camera-registry.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import { streamLiveView } from "./live-view.ts";

const nameParams = z.object({ name: z.string() });
const FIRST_FRAME_MS = 15_000;
const PROBE_MS = 20_000;

export function addCameraRoutes(server: HttpServer, parts: HttpParts): void {
  const { cameras, pipelines, probe } = parts;
  addCameraEdits(server, parts);
  const cameraOf = (name: string): RegisteredCamera => {
    const camera = cameras.find(name);
    if (camera !== undefined) return camera;
    throw notFound(unknownCamera(cameras, name));
  };

  server.get(
    "/api/cameras",
    { schema: { summary: "Cameras, their addresses without credentials", response: { 200: z.array(cameraSchema) } } },
    async () => cameras.list().map(toCamera),
  );

  server.get(
    "/api/cameras/:name",
    { schema: { summary: "One camera", params: nameParams, response: { 200: cameraSchema } } },
    async ({ params }) => toCamera(cameraOf(params.name)),
  );

  server.post(
    "/api/cameras/probe",
    {
      schema: {
        summary: "Open a source once and say what it is, or why it does not open",
        body: z.object({ source: z.string().min(1).max(2000) }),
        response: { 200: probeResultSchema },
      },
    },
    async ({ body }) => probe(body.source, AbortSignal.timeout(PROBE_MS)),
  );

  server.get(
    "/api/cameras/:name/snapshot.jpg",
    { schema: { summary: "The picture of this moment", params: nameParams } },
    async ({ params }, reply) => {
      const picture = await takePicture(pipelines, cameraOf(params.name).name);
      return reply.type("image/jpeg").header("cache-control", "no-store").send(Buffer.from(picture.jpeg));
    },
  );

  server.get(
    "/api/cameras/:name/live",
    {
      exposeHeadRoute: false,
      schema: {
        summary: "Live pictures (MJPEG); ?with=results gives before each picture what was found in it, as JSON",
        params: nameParams,
        querystring: z.object({ with: z.literal("results").optional() }),
      },
    },
    async ({ params, query }, reply) => {
      const { name } = cameraOf(params.name);
      await streamLiveView(reply, (onFrame) => pipelines.view(name, onFrame), {
        withResults: query.with === "results",
      });
      return reply;
    },
  );
}

/** They change the lines of the camera in `CAMERAS.md` and nothing else. */
function addCameraEdits(server: HttpServer, { cameras, pipelines }: HttpParts): void {
  const mustBeQuiet = (name: string): void => {
    const running = pipelines.onCamera(name);
    if (running === undefined) return;
    throw new HttpProblem(409, "in_use", `${running.name} runs on ${name}.`, "Stop it, or remove its watches, first.");
  };

  server.post(
    "/api/cameras",
    {
      schema: {
        summary: "Add a camera to CAMERAS.md; its password is kept there and shown nowhere",
        body: newCameraSchema,
        response: { 201: cameraSchema },
      },
    },
    async ({ body: { source, ...entry } }, reply) =>
      reply.code(201).send(toCamera(await cameras.add({ ...entry, address: source }))),
  );

  server.patch(
    "/api/cameras/:name",
    {
      schema: {
        summary: "Change a camera in CAMERAS.md; what is left out stays",
        params: nameParams,
        body: cameraChangeSchema,
        response: { 200: cameraSchema },
      },
    },
    async ({ params, body: { source, ...changes } }) => {
      if (changes.name !== undefined && changes.name.toLowerCase() !== params.name.toLowerCase()) {
        mustBeQuiet(params.name);
      }
      const wanted = { ...changes, ...(source !== undefined && { address: source }) };
      return toCamera(await cameras.change(params.name, wanted));
    },
  );

  server.delete(
    "/api/cameras/:name",
    { schema: { summary: "Remove a camera from CAMERAS.md", params: nameParams, response: { 200: cameraSchema } } },
    async ({ params }) => {
      mustBeQuiet(params.name);
      return toCamera(await cameras.remove(params.name));
    },
  );
}

function toCamera({ name, source, location, notes }: RegisteredCamera): Camera {
  return { name, source, location, notes };
}

async function takePicture(pipelines: PipelineRegistry, camera: string): Promise<Picture> {
  const running = pipelines.onCamera(camera);
  const latest = running === undefined ? undefined : await pipelines.picture(running.pipeline_id);
  return latest ?? (await firstFrame(pipelines, camera));
}

async function firstFrame(pipelines: PipelineRegistry, camera: string): Promise<Picture> {
  const first = Promise.withResolvers<Picture>();
  const message = `${camera} gave no picture within ${FIRST_FRAME_MS / 1000} seconds.`;
  const timer = setTimeout(() => first.reject(new BackendError({ kind: "source", message })), FIRST_FRAME_MS);
  try {
    const leave = await pipelines.view(camera, ({ picture }) => first.resolve(picture));
    return await first.promise.finally(leave);
  } finally {
    clearTimeout(timer);
    first.promise.catch(() => undefined); // where the view itself failed, nobody waits for the picture
  }
}
