// what a person says of a camera → its row in CAMERAS.md, and whether it opens
import type { Camera, ProbeResult } from "@vision-agent/protocol";
import { addressProblem } from "@vision-agent/vision-engine";
import { isAddress, shownAddress, withoutCredentials } from "../workspace/camera-address.ts";
import { camerasAt } from "../workspace/camera-registry.ts";
import type { CameraStore } from "../workspace/camera-store.ts";
import { cameraEffect } from "./effects.ts";
import { type CallGrade, visionTool } from "./graded-tool.ts";
import { foreignSources } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";
import type { ToolParts } from "./tool-parts.ts";

const PROBE_MS = 20_000;

export function saveCameraTool({
  cameras,
  probe,
}: Pick<ToolParts, "probe"> & { readonly cameras: Pick<CameraStore, "find" | "list" | "add" | "change"> }) {
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
    },
    secretArguments: ["source"],
    gradeOf: (args) => gradeOf(cameras, args),
    async run({ name, source, replace = false, ...about }, { signal }) {
      const problem = source && problemOf(source);
      if (problem) throw new Error(problem);
      const known = cameras.find(name);
      if (known !== undefined && source !== undefined && source !== known.address && !replace) {
        const { address, ...camera } = known;
        return { data: { camera, is_new: false, effects: [] } };
      }
      if (known === undefined && source === undefined) throw new Error(`${name} is a new camera; give its source.`);
      const entry = { ...about, ...(source !== undefined && { address: source }) };
      const is_new = known === undefined;
      const { address, ...camera } =
        known === undefined
          ? await cameras.add({ ...about, name, address: source ?? "" })
          : await cameras.change(known.name, entry);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
      const opened = source === undefined ? undefined : await probe(address, limit);
      const effects = [cameraEffect(is_new ? "saved" : "changed", camera.name)];
      return { data: { camera, is_new, probe: opened, effects } };
    },
    render: ({ camera, is_new, probe: opened, effects }) =>
      effects.length === 0
        ? `There is a camera ${describe(camera)} already. Nothing was changed; give replace: true to change its source.`
        : `${is_new ? "Added" : "Changed"} ${describe(camera)}.${opened === undefined ? "" : ` ${renderProbe(opened)}`}`,
  });
}

interface SaveCameraArgs {
  readonly name: string;
  readonly source?: string;
  readonly location?: string;
  readonly notes?: string;
  readonly replace?: boolean;
}

function gradeOf(
  cameras: Pick<CameraStore, "find" | "list">,
  { name, source, location, notes, replace = false }: SaveCameraArgs,
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
