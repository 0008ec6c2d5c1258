// what a person says of a camera → its row in CAMERAS.md, and whether it opens
import type { Camera, ProbeResult } from "@vision-agent/protocol";
import { addressProblem } from "@vision-agent/vision-engine";
import { isAddress, shownAddress, withoutCredentials } from "../workspace/camera-address.ts";
import { camerasAt } from "../workspace/camera-registry.ts";
import type { CameraAdmin } from "./camera-admin.ts";
import { type CallGrade, visionTool } from "./graded-tool.ts";
import { foreignSources, hopelessSource } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";
import type { ToolParts } from "./tool-parts.ts";

const PROBE_MS = 20_000;

export function saveCameraTool({
  cameras,
  cameraAdmin,
  probe,
}: Pick<ToolParts, "probe" | "cameras"> & { readonly cameraAdmin: Pick<CameraAdmin, "add" | "change"> }) {
  return visionTool({
    name: "save_camera",
    description: "Add a camera to CAMERAS.md, or change one; what you leave out stays as it is.",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 1, maxLength: 64 },
      source: { type: "string", maxLength: 2000, description: "rtsp://…, http://…, webcam:0, a file, sim://…" },
      location: { type: "string", maxLength: 500, description: "Where it is mounted." },
      replace: { type: "boolean", description: "true to give an existing camera another source." },
      notes: { type: "string", maxLength: 500, description: "Anything worth knowing about its view." },
      new_name: {
        type: "string",
        minLength: 1,
        maxLength: 64,
        description: "To rename it; all that belongs to it goes along.",
      },
    },
    deferLoading: true,
    secretArguments: ["source"],
    gradeOf: (args) => gradeOf(cameras, args),
    async run({ name, source, replace = false, new_name, ...about }, { signal }) {
      const problem = source && problemOf(source);
      if (problem) throw new Error(problem);
      const known = cameras.find(name);
      if (known !== undefined && source !== undefined && source !== known.address && !replace) {
        const { address, ...camera } = known;
        return { data: { camera, is_new: false, effects: [] } };
      }
      if (known === undefined && source === undefined) throw new Error(`${name} is a new camera; give its source.`);
      const hopeless =
        source === undefined || source === known?.address ? undefined : await hopelessSource(source, probe);
      if (hopeless !== undefined) throw new Error(`Nothing was saved. ${hopeless}`);
      const entry = {
        ...about,
        ...(source !== undefined && { address: source }),
        ...(new_name !== undefined && { name: new_name }),
      };
      const is_new = known === undefined;
      const saved =
        known === undefined
          ? await cameraAdmin.add({ ...about, name: new_name ?? name, address: source ?? "" })
          : await cameraAdmin.change(known.name, entry);
      const { address, ...camera } = saved.camera;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
      const opened = source === undefined ? undefined : await probe(address, limit);
      const was = saved.effects[0]?.was;
      return { data: { camera, is_new, was, probe: opened, effects: [...saved.effects] } };
    },
    render({ camera, is_new, was, probe: opened, effects }) {
      if (effects.length === 0) {
        return `There is a camera ${describe(camera)} already. Nothing was changed; give replace: true to change its source.`;
      }
      const renamed =
        was === undefined
          ? ""
          : ` ${was} is called ${camera.name} now, with its watches, pipelines, places and all it saw.`;
      const state = opened === undefined ? "" : ` ${renderProbe(opened)}`;
      return `${is_new ? "Added" : "Changed"} ${describe(camera)}.${renamed}${state}`;
    },
  });
}

interface SaveCameraArgs {
  readonly name: string;
  readonly source?: string;
  readonly location?: string;
  readonly notes?: string;
  readonly replace?: boolean;
  readonly new_name?: string;
}

function gradeOf(
  cameras: ToolParts["cameras"],
  { name, source, location, notes, replace = false, new_name }: SaveCameraArgs,
): CallGrade {
  const known = cameras.find(name);
  if (known === undefined) {
    const destinations = source === undefined ? [] : foreignSources(cameras, source);
    const others = source === undefined ? [] : camerasAt(cameras.list(), source).map((one) => one.name);
    const same = others.length === 0 ? "" : ` It shows the same as ${others.join(" and ")}.`;
    const question = `May I add a camera called ${quoteWords(name)}?${same}`;
    // A second name must not be a way around what was said about the first.
    const always = others.length > 0;
    return { grade: "change", always, question, destinations, refusal: async () => source && problemOf(source) };
  }
  const isSame = source === undefined || source === known.address || source === known.source;
  if (isSame) {
    if (new_name !== undefined) {
      const more = [location, notes].some((text) => text !== undefined) ? " and note more about it" : "";
      return {
        grade: "change",
        question: `May I rename the camera ${known.name} to ${quoteWords(new_name, 64)}${more}?`,
      };
    }
    const words = [location, notes].flatMap((text) => (text === undefined ? [] : quoteWords(text))).join(" and ");
    return { grade: "change", question: `May I note ${words || "something else"} about the camera ${known.name}?` };
  }
  // The call itself answers that there is such a camera.
  if (!replace) return { grade: "look" };
  const now = quoteWords(known.source, 300);
  const question = `May I give the camera ${known.name} another address, ${quoteWords(shownAddress(source), 300)}? Its address is ${now}.`;
  return { grade: "change", always: true, question, subject: known.address, refusal: async () => problemOf(source) };
}

/** What is said in a conversation is kept and read by a model: no place for a password. */
function problemOf(source: string): string | undefined {
  if (!isAddress(source) && !/^webcam:/i.test(source)) return `"${source}" is not a camera address.`;
  const problem = addressProblem(source);
  if (problem !== undefined) return problem;
  if (withoutCredentials(source) === source) return undefined;
  return "Passwords do not belong in a conversation. Ask the person to edit CAMERAS.md, or to run: vision-agent init --camera NAME=ADDRESS";
}

function renderProbe(result: ProbeResult): string {
  return result.ok
    ? `It opens: ${result.width} × ${result.height}, ${Math.round(result.fps)} fps.`
    : `It does not open now: ${result.message}`;
}

function describe({ name, source, location, notes }: Camera): string {
  const parts = [location && `location ${location}`, notes && `notes ${notes}`].filter(Boolean);
  return `${name} (${[source, ...parts].join("; ")})`;
}
