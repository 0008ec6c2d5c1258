// a run that is decided on later → a handle now
import type { AgentEvent } from "../types/events.ts";
import type { RunHandle } from "./run.ts";

/** `target` must not reject. Until it is there nobody can be steered. */
export function toAwaitedRun(id: Pick<RunHandle, "runId" | "sessionId">, target: Promise<RunHandle>): RunHandle {
  const { runId, sessionId } = id;
  let run: RunHandle | undefined;
  const found = target.then((there) => {
    run = there;
    return there;
  });
  async function* read(options?: Parameters<RunHandle["events"]>[0]): AsyncGenerator<AgentEvent, void> {
    yield* (await found).events(options);
  }
  return {
    runId,
    sessionId,
    get messages() {
      return run?.messages ?? [];
    },
    outcome: found.then(({ outcome }) => outcome),
    events: read,
    [Symbol.asyncIterator]: () => read(),
    steer: (text) => run?.steer(text) ?? "run_over",
    followUp: (text) => run?.followUp(text) ?? "run_over",
    cancel: async (reason) => (await found).cancel(reason),
  };
}
