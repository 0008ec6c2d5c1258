// (prepare → call → execute)* → how it ends
import type { LLMResponse } from "../llm/llm-client.ts";
import { askModel } from "./ask-model.ts";
import { hearSteering } from "./hear-messages.ts";
import { judgeResponse } from "./judge-response.ts";
import { type Ending, finish, type RunScope } from "./run-scope.ts";

/** AI-9: turns until the model is done, somebody is needed, or the stop policy says so. */
export async function runLoop(scope: RunScope): Promise<Ending> {
  const { maxIterations } = scope.stop;
  for (let turn = 1; turn <= maxIterations; turn++) {
    scope.journal.turn = turn;
    const ending = await takeTurn(scope);
    if (ending) return ending;
  }
  return finish(
    "max_iterations",
    `I stopped after ${maxIterations} steps without coming to an end. Tell me to go on if you want more.`,
  );
}

/** One call of the model and what follows from it. Undefined means go on. */
async function takeTurn(scope: RunScope): Promise<Ending | undefined> {
  const { journal, signal, inbox } = scope;
  signal.throwIfAborted();
  journal.moveTo("preparing", "next turn");
  await hearSteering(scope);
  const response = await askModel(scope);
  if ("kind" in response) return response;
  await recordAnswer(response, scope);
  const ending = await judgeResponse(response, scope);
  const isDone = ending?.kind === "finish" && ending.reason === "complete";
  return isDone && inbox.promote() ? undefined : ending;
}

async function recordAnswer({ message, stopReason, usage }: LLMResponse, { journal }: RunScope): Promise<void> {
  // Nothing but a full window: there is no answer to keep.
  const isEmpty = stopReason === "context_exceeded" && message.parts.every((part) => part.type === "reasoning");
  if (!isEmpty) await journal.write({ type: "message", message, stopReason });
  journal.emit({ type: "message", message, stopReason, usage });
}
