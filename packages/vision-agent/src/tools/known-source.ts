import type { ProbeFailure, ProbeResult } from "@vision-agent/protocol";
import { addressProblem } from "@vision-agent/vision-engine";
import { isAddress, shownAddress, withoutCredentials } from "../workspace/camera-address.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { quoteWords } from "./quote-words.ts";
import type { ReachedPlace } from "./reached-place.ts";

/** The camera's own spelling, or the address as it is; undefined when it is neither. */
export function findVideoReference(cameras: CameraRegistry, reference: string): string | undefined {
  return cameras.find(reference)?.name ?? (isAddress(reference) ? reference : undefined);
}

/** By name, or by an address that somebody registered: only so are local networks read. */
export function findCamera(cameras: CameraRegistry, reference: string): RegisteredCamera | undefined {
  return cameras.find(reference) ?? cameras.list().find((one) => one.address === reference || one.source === reference);
}

const OPENS_NOTHING = /^sim:\/\//i;
const DEVICE = /^webcam:/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** An address or path that is no camera of the app, as a person is asked about it; none for names and simulated scenes. */
export function foreignSources(cameras: CameraRegistry, reference: string): readonly ReachedPlace[] {
  if (findCamera(cameras, reference) !== undefined || OPENS_NOTHING.test(reference)) return [];
  if (!isAddress(reference) && !DEVICE.test(reference)) return [];
  const isDoubtful = addressProblem(reference) !== undefined;
  const target = isDoubtful ? "an address that can be read in two ways" : shownAddress(reference);
  const kind = SCHEME.test(reference) || DEVICE.test(reference) ? "address" : "path";
  const what = kind === "path" ? "file" : "address";
  const sentence = `The ${what} ${quoteWords(target, 300)} is not one of your cameras.`;
  // What can be read in two ways does not open, whatever is answered.
  return [{ kind, target, sentence, isFixed: !isDoubtful }];
}

const NETWORK = /^(?:rtsps?|https?):\/\//i;
const PLUGGED = /^(?:webcam:|\/dev\/video)/i;
const LOCAL_PROBE_MS = 10_000;
const HOPELESS: ReadonlySet<ProbeFailure> = new Set([
  ...(["unknown_scheme", "unknown_scene", "bad_option"] as const),
  ...(["not_found", "not_readable", "no_video", "codec"] as const),
]);

/**
 * Why a source on this machine can never give a picture; undefined when it does, or may later: a camera that is off or
 * unplugged, a folder that is filled by others, a machine without a decoder yet.
 */
export async function hopelessSource(
  address: string,
  probe: (address: string, signal: AbortSignal) => Promise<ProbeResult>,
): Promise<string | undefined> {
  const text = address.trim();
  // One with a password is a camera's, whatever it lacks: kept, its password is known and hidden everywhere.
  if (NETWORK.test(text) || PLUGGED.test(text) || withoutCredentials(text) !== text) return undefined;
  const found = await probe(text, AbortSignal.timeout(LOCAL_PROBE_MS));
  return !found.ok && HOPELESS.has(found.reason) ? found.message : undefined;
}

/** A sentence that names the cameras there are. */
export function unknownCamera(cameras: Pick<CameraRegistry, "list">, name: string): string {
  return `There is no camera called "${name}". ${namedCameras(cameras)}`;
}

function namedCameras(cameras: Pick<CameraRegistry, "list">): string {
  const names = cameras.list().map(({ name }) => name);
  return names.length === 0 ? "No cameras are set up in CAMERAS.md." : `Cameras: ${names.join(", ")}.`;
}
