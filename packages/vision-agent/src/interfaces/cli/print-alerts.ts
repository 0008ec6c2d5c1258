// alerts of the app → lines in the terminal of whoever talks to it
import type { ApiClient } from "./api-client.ts";
import type { Colours } from "./print-run.ts";
import { wrapWords } from "./wrap-words.ts";

export interface AlertPrinterOptions {
  readonly client: Pick<ApiClient, "alerts">;
  /** Takes whole lines. */
  readonly tell: (text: string) => void;
  /** An instant (ISO 8601) as a person reads it. */
  readonly timeOf: (timestamp: string) => string;
  readonly colours: Colours;
  readonly pictureAt: (artifactId: string) => string;
  /** Width of the terminal; absent or undefined leaves lines as they are. */
  readonly columns?: () => number | undefined;
  /** Ends the printing. */
  readonly signal: AbortSignal;
}

/** Resolves when the signal fires or the connection is lost, which is told. Never rejects. */
export async function printAlerts(options: AlertPrinterOptions): Promise<void> {
  const { client, tell, timeOf, colours, pictureAt, columns, signal } = options;
  try {
    for await (const { severity, timestamp, text, picture } of client.alerts(signal)) {
      const evidence = picture === undefined ? "" : `${colours.dim(`  picture: ${pictureAt(picture)}`)}\n`;
      const line = wrapWords(`! ${severity} ${timeOf(timestamp)} ${text}`, columns?.());
      tell(`${colours.yellow(line)}\n${evidence}`);
    }
  } catch (error) {
    if (!signal.aborted) tell(`Alerts are no longer shown here: ${error instanceof Error ? error.message : error}\n`);
  }
}
