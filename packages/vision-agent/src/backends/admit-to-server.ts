// a picture or a camera + a server → leave to send it there, or a BackendError
import type { InferenceClient, ServerFleet } from "@vision-agent/inference-client";
import { toDestination } from "../egress/destination.ts";
import {
  type AllowedPicture,
  type AllowedStream,
  type DepartingPicture,
  type Egress,
  isRefused,
} from "../egress/open-egress.ts";
import { ofCamera } from "../store/picture-origin.ts";
import { BackendError, type PipelineRequest } from "./backend.ts";

/** Throws `BackendError` kind `unavailable`. */
export async function admitPicture(
  picture: DepartingPicture,
  { url }: Pick<InferenceClient, "url">,
  egress: Pick<Egress, "admit">,
): Promise<AllowedPicture> {
  const [answer] = await egress.admit([picture], toDestination("server", url), "looked at by an Inference server");
  if (answer === undefined || isRefused(answer)) throw refusal(answer?.refused ?? "nobody decided about it");
  return answer;
}

/** For every server of the fleet: any of them may be chosen, now or after a failure. Throws `BackendError` kind `unavailable`. */
export async function admitCamera(
  { sourceId, origin = ofCamera(sourceId) }: Pick<PipelineRequest, "sourceId" | "origin">,
  fleet: Pick<ServerFleet, "labels" | "client">,
  egress: Pick<Egress, "admitStream">,
): Promise<readonly AllowedStream[]> {
  const urls = fleet.labels.flatMap((label) => fleet.client(label)?.url ?? []);
  const allowed: AllowedStream[] = [];
  for (const url of urls) {
    const answer = await egress.admitStream(origin, toDestination("server", url), "a pipeline on an Inference server");
    if (isRefused(answer)) throw refusal(answer.refused);
    allowed.push(answer);
  }
  return allowed;
}

function refusal(reason: string): BackendError {
  return new BackendError({ kind: "unavailable", message: `The picture was not sent: ${reason}.` });
}
