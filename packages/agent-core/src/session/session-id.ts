import { AgentError } from "../types/errors.ts";

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Ids become file names, so nothing else gets through. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

export function assertSessionId(id: string): void {
  if (isSessionId(id)) return;
  throw new AgentError({
    kind: "invalid",
    code: "bad_session_id",
    message: "A session id is 1 to 64 letters, digits, underscores or hyphens.",
  });
}

export function sessionBusy(id: string, holder: string): AgentError {
  return new AgentError({
    kind: "invalid",
    code: "session_busy",
    message: `The session "${id}" is being written to by ${holder}.`,
  });
}
