/** What is read of a streamed event, whichever it is: compatible servers leave fields out. */
export interface WireEvent {
  readonly type: string;
  readonly sequence_number?: number;
  readonly output_index: number;
  readonly summary_index?: number;
  readonly item: WireItem;
  readonly delta?: string;
  readonly response?: WireResponse;
  readonly code?: string | null;
  readonly message?: string;
}

/** An output item of any kind. */
export interface WireItem {
  readonly type: string;
  readonly id?: string;
  readonly status?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly text?: string; readonly refusal?: string }[] | null;
  readonly summary?: readonly { readonly text?: string }[] | null;
  readonly encrypted_content?: string | null;
}

export interface WireResponse {
  readonly model?: string;
  readonly output?: readonly WireItem[];
  readonly error?: { readonly code?: string; readonly message?: string } | null;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly usage?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly input_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number };
    readonly output_tokens_details?: { readonly reasoning_tokens?: number };
  } | null;
}
