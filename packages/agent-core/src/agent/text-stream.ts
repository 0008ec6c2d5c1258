// events of a message → the words of the model, without those of attempts that broke off
import { agentError } from "../types/errors.ts";
import type { AgentEvent, StopReason } from "../types/events.ts";

/** The next message goes on in the middle of this one. */
const CUT: ReadonlySet<StopReason> = new Set(["max_tokens", "context_exceeded", "pause"]);

/** Throws `AgentError` code `text_discarded` when words were given that are void. */
export async function* textPiecesOf(events: AsyncIterable<AgentEvent>, isAnswerOnly: boolean): AsyncGenerator<string> {
  /** Words of the message that is being said: as they came, and as they were given. */
  let said = "";
  let given = "";
  let gap = "";
  for await (const event of events) {
    if (event.type === "response" && isAnswerOnly) yield event.text;
    if (isAnswerOnly) continue;
    if (event.type === "text_delta") {
      said += event.text;
      if (!said.startsWith(given) && !given.startsWith(said)) throw discarded();
      if (said.length <= given.length) continue;
      yield given === "" ? gap + said : said.slice(given.length);
      given = said;
    } else if (event.type === "discarded") {
      said = "";
    } else if (event.type === "message") {
      if (said.length < given.length) throw discarded();
      if (given !== "") gap = CUT.has(event.stopReason) ? "" : "\n\n";
      said = "";
      given = "";
    }
  }
}

function discarded(): Error {
  const advice = "What came so far is void: take the text of result().";
  return agentError("network", "text_discarded", `The answer broke off and began again with other words. ${advice}`);
}
