/** What the model says. */
export type OpenAIReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "refusal"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly name: string;
      /** Sent as it is when a string, so that broken JSON can be scripted. */
      readonly input: object | string;
      /** Default `call_<request>_<index>`. */
      readonly id?: string;
    }
  /** Responses only: an item of the provider's own, sent whole. */
  | { readonly type: "item"; readonly item: { readonly type: string; readonly [key: string]: unknown } };

/** One answer, for either wire. */
export interface OpenAIReply {
  readonly blocks?: readonly OpenAIReplyBlock[];
  /**
   * Chat: the finish reason. Responses: `completed`, `failed`, or the reason of an incomplete answer.
   * Default: the usual one. Null leaves it out.
   */
  readonly finish?: string | null;
  /** Fields of the report; null leaves it out. */
  readonly usage?: { readonly [name: string]: unknown } | null;
  /** Responses, with finish `failed`. */
  readonly error?: { readonly code: string; readonly message: string };
  /** Chat: chunks sent as they are instead, strings as whole lines. Ends with `[DONE]` only if it is among them. */
  readonly raw?: readonly (object | string)[];
}

export type OpenAICall = Extract<OpenAIReplyBlock, { type: "tool_use" }>;

export function argumentsOf({ input }: OpenAICall): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}
