import type { Alert } from "@vision-agent/protocol";

/** A way to reach a person. */
export interface AlertChannel {
  readonly name: string;
  /** Rejects when the alert did not get through. */
  send(alert: Alert): Promise<void>;
}

/** Alerts that were raised, newest first. Survives a restart. */
export interface AlertLog {
  list(limit?: number): readonly Alert[];
  /** Must not throw. Returns the way to stop. */
  onAlert(listener: (alert: Alert) => void): () => void;
}
