import type { Alert } from "@vision-agent/protocol";

/** A way for a person to talk to the agent and to be told things. */
export interface UserInterface {
  readonly name: string;
  start(): Promise<void>;
  /** Something happened that nobody asked for just now. Must not throw. */
  emit(alert: Alert): void;
  /** May be called twice. */
  stop(): Promise<void>;
}
