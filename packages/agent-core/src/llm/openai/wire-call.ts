import type OpenAI from "openai";
import type { AnswerContext } from "../finish-response.ts";
import type { ImageSource } from "../image-source.ts";
import type { OpenAIProfile } from "./profiles.data.ts";

/** What both wires of this provider get to make one call with. */
export interface OpenAIWireCall {
  readonly sdk: OpenAI;
  readonly signal: AbortSignal;
  readonly images: ImageSource;
  readonly profile: OpenAIProfile;
  warn(warning: string): void;
  readonly answer: Omit<AnswerContext, "requestId">;
}
