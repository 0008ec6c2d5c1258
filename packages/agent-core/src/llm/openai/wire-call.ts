import type OpenAI from "openai";
import type { Warn } from "../../types/events.ts";
import type { AnswerContext } from "../finish-response.ts";
import type { ImageSource } from "../image-source.ts";
import type { OpenAIProfile } from "./profiles.data.ts";

/** What both wires of this provider get to make one call with. */
export interface OpenAIWireCall {
  readonly sdk: OpenAI;
  readonly signal: AbortSignal;
  readonly images: ImageSource;
  readonly profile: OpenAIProfile;
  readonly warn: Warn;
  readonly answer: Omit<AnswerContext, "requestId">;
}
