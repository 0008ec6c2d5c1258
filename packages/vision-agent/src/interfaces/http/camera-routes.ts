// cameras: their names, a picture, a live view
import {
  type Camera,
  cameraChangeSchema,
  cameraRecordingSchema,
  cameraSchema,
  newCameraSchema,
  probeResultSchema,
} from "@vision-agent/protocol";
import type { LiveFrame, Picture } from "@vision-agent/vision-engine";
import { z } from "zod";
import { type Identity, seesCamera, viewerName } from "../../access/identity.ts";
import { BackendError } from "../../backends/backend.ts";
import type { PipelineRegistry } from "../../pipelines/pipeline-registry.ts";
import type { CameraChange } from "../../tools/camera-admin.ts";
import { hopelessSource, unknownCamera } from "../../tools/known-source.ts";
import { LONGEST_ADDRESS } from "../../workspace/camera-address.ts";
import type { RegisteredCamera } from "../../workspace/camera-registry.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import { streamLiveView } from "./live-view.ts";
import type { AddRoute } from "./route.ts";

const FIRST_FRAME_MS = 15_000;
const PROBE_MS = 20_000;

export function addCameraRoutes(route: AddRoute, parts: HttpParts): void {
  const { cameras, pipelines, probe, admission, recordings } = parts;
  addCameraEdits(route, parts);
  /** What a viewer may not see is not there. */
  const cameraOf = (name: string, who: Identity): RegisteredCamera => {
    const camera = cameras.find(name);
    if (camera !== undefined && seesCamera(who, camera.name)) return camera;
    throw notFound(unknownCamera(camerasOf(cameras, who), name));
  };

  const listed = { about: "Cameras, their addresses without credentials", answer: z.array(cameraSchema) };
  route("GET /api/cameras", { ...listed, role: "viewer" }, ({ who }) => camerasOf(cameras, who).list().map(toCamera));

  route("GET /api/cameras/:name", { about: "One camera", answer: cameraSchema, role: "viewer" }, ({ name, who }) =>
    toCamera(cameraOf(name, who)),
  );

  route(
    "POST /api/cameras/probe",
    {
      about: "Open a source once and say what it is, or why it does not open",
      body: z.object({ source: z.string().min(1) }),
      answer: probeResultSchema,
    },
    ({ body: { source } }) => {
      if (source.length <= LONGEST_ADDRESS) return probe(source, AbortSignal.timeout(PROBE_MS));
      throw new HttpProblem(422, "invalid", `The address is too long: ${LONGEST_ADDRESS} characters at most.`);
    },
  );

  const recorded = { about: "Whether a camera is recorded, or why it cannot be", answer: cameraRecordingSchema };
  route("GET /api/cameras/:name/recording", recorded, ({ name, who }) => recordings.status(cameraOf(name, who)));
  const recording = "Record a camera, or no longer: its stream is copied to the disk as it comes";
  route(
    "PUT /api/cameras/:name/recording",
    { about: recording, body: z.object({ on: z.boolean() }), answer: cameraRecordingSchema },
    ({ name, body, who }) => recordings.set(cameraOf(name, who), body.on),
  );

  const shown = { about: "The picture of this moment", role: "viewer" } as const;
  route("GET /api/cameras/:name/snapshot.jpg", shown, async ({ name, who }, reply) => {
    const picture = await takePicture(pipelines, cameraOf(name, who).name);
    return reply.type("image/jpeg").header("cache-control", "no-store").send(Buffer.from(picture.jpeg));
  });

  route(
    "GET /api/cameras/:name/live",
    {
      about: "Live pictures (MJPEG); ?with=results gives before each picture what was found in it, as JSON",
      query: { with: z.literal("results").optional() },
      streams: true,
      role: "viewer",
    },
    async ({ name: wanted, query, who }, reply) => {
      const { name } = cameraOf(wanted, who);
      const leave = admission.enter("live view", viewerName(who));
      const view = (onFrame: (frame: LiveFrame) => void) =>
        pipelines.view(name, (frame) => {
          if (cameras.find(name) === undefined) reply.raw.destroy();
          else onFrame(frame);
        });
      await streamLiveView(reply, view, { withResults: query.with === "results" }).finally(leave);
      return reply;
    },
  );
}

/** With everything that belongs to a camera. */
function addCameraEdits(route: AddRoute, { cameraAdmin, cameras, probe, undo }: HttpParts): void {
  const mustGivePictures = async (source: string): Promise<void> => {
    const problem = await hopelessSource(source, probe);
    if (problem !== undefined) throw new HttpProblem(422, "invalid", problem);
  };
  const change = async (who: Identity, work: () => Promise<CameraChange>): Promise<Camera> =>
    toCamera((await undo.during(who.name, work, ({ effects }) => effects)).camera);

  route(
    "POST /api/cameras",
    {
      about:
        "Add a camera to CAMERAS.md; its password is kept there and shown nowhere. A file, folder or scene that can give no picture is refused; a camera on the network may be off",
      body: newCameraSchema,
      answer: cameraSchema,
      status: 201,
    },
    async ({ body: { source, ...entry }, who }) => {
      await mustGivePictures(source);
      return change(who, () => cameraAdmin.add({ ...entry, address: source }));
    },
  );

  route(
    "PATCH /api/cameras/:name",
    {
      about:
        "Change a camera in CAMERAS.md, its name or its privacy masks; what is left out stays. Watches, pipelines and places follow a new name",
      body: cameraChangeSchema,
      answer: cameraSchema,
    },
    async ({ name, body: { source, ...changes }, who }) => {
      const known = cameras.find(name);
      if (known && source !== undefined && source !== known.source) await mustGivePictures(source);
      return change(who, () =>
        cameraAdmin.change(name, { ...changes, ...(source !== undefined && { address: source }) }),
      );
    },
  );

  const about =
    "Remove a camera from CAMERAS.md; one that watches or pipelines use only with ?force=true, and these go with it";
  const query = { force: z.stringbool().default(false) };
  route("DELETE /api/cameras/:name", { about, query, answer: cameraSchema }, ({ name, query: { force }, who }) => {
    const { watches, pipelines } = cameraAdmin.uses(name);
    const used = [...watches.map(({ words }) => `the watch "${words}"`), ...pipelines.map((one) => one.name)];
    if (used.length > 0 && !force) {
      const hint = "Remove these first, or give force=true: they go with it.";
      throw new HttpProblem(409, "in_use", `${name} is used by ${used.join(", ")}.`, hint);
    }
    return change(who, () => cameraAdmin.remove(name));
  });
}

/** Those that somebody sees. */
export function camerasOf(
  cameras: Pick<HttpParts["cameras"], "list">,
  who: Identity,
): Pick<HttpParts["cameras"], "list"> {
  return { list: () => cameras.list().filter(({ name }) => seesCamera(who, name)) };
}

function toCamera({ address: _, ...camera }: RegisteredCamera): Camera {
  return camera;
}

async function takePicture(pipelines: PipelineRegistry, camera: string): Promise<Picture> {
  return (await pipelines.pictureOn(camera)) ?? (await firstFrame(pipelines, camera));
}

async function firstFrame(pipelines: PipelineRegistry, camera: string): Promise<Picture> {
  const first = Promise.withResolvers<Picture>();
  const message = `${camera} gave no picture within ${FIRST_FRAME_MS / 1000} seconds.`;
  const timer = setTimeout(() => first.reject(new BackendError({ kind: "source", message })), FIRST_FRAME_MS);
  const opening = pipelines.view(camera, ({ picture }) => first.resolve(picture));
  try {
    // Opening alone may take longer than anybody waits.
    return await Promise.race([first.promise, opening.then(() => first.promise)]);
  } finally {
    clearTimeout(timer);
    const tooLate = (): void => undefined;
    void opening.then((leave) => leave(), tooLate);
  }
}
