import type { AccessRole } from "@vision-agent/protocol";

/** Somebody the server recognised. */
export interface Identity {
  /** Name of the account; `local` for whoever can read the token on this computer. */
  readonly name: string;
  readonly role: AccessRole;
  /** Cameras that a viewer sees; null is every camera. */
  readonly cameras: readonly string[] | null;
  /** Id of the browser's login; absent for a program with the token. */
  readonly loginId?: string;
  /** Fires when the login ends: streams that are open end with it. */
  readonly ended: AbortSignal;
}

/** Who runs the program, and every program of the same user. */
export const LOCAL = "local";

/** Owners do, and viewers who were given no list. */
export function seesAll({ role, cameras }: Pick<Identity, "role" | "cameras">): boolean {
  return role === "owner" || cameras === null;
}

/** Undefined for an owner. */
export function viewerName({ role, name }: Pick<Identity, "role" | "name">): string | undefined {
  return role === "owner" ? undefined : name;
}

/** Names are compared as cameras are found: without case. */
export function seesCamera(who: Pick<Identity, "role" | "cameras">, camera: string): boolean {
  const wanted = camera.toLowerCase();
  return seesAll(who) || (who.cameras ?? []).some((name) => name.toLowerCase() === wanted);
}
