// who asks, and an alert → whether that is theirs to see
import type { Alert, Watch } from "@vision-agent/protocol";
import { type Identity, seesAll, seesCamera } from "../../access/identity.ts";
import { camerasOf } from "../../watches/condition-interests.ts";
import type { HttpParts } from "./http-parts.ts";

/** One that also looks at other cameras would tell of them. */
export function seesWatch(who: Identity, watch: Watch): boolean {
  return camerasOf(watch).every((name) => seesCamera(who, name));
}

/** A test tells the words of its watch, whatever happened on the camera. */
export function seesAlert(who: Identity, alert: Alert, watches: Pick<HttpParts["watches"], "list">): boolean {
  if (!seesCamera(who, alert.camera)) return false;
  if (!alert.test || seesAll(who)) return true;
  const watch = watches.list().find(({ id }) => id === alert.watch_id);
  return watch !== undefined && seesWatch(who, watch);
}
