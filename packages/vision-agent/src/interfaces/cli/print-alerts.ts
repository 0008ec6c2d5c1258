// alerts of the house → lines in the terminal of whoever talks to it
import type { HouseClient } from "./house-client.ts";
import type { Colours } from "./print-run.ts";

export interface AlertPrinterOptions {
  readonly client: Pick<HouseClient, "alerts">;
  readonly write: (text: string) => void;
  readonly colours: Colours;
  readonly pictureAt: (artifactId: string) => string;
  /** Ends the printing. */
  readonly signal: AbortSignal;
}

/** Resolves when the signal fires or the connection is lost, which is told. Never rejects. */
export async function printAlerts(options: AlertPrinterOptions): Promise<void> {
  const { client, write, colours, pictureAt, signal } = options;
  try {
    for await (const { severity, timestamp, text, picture } of client.alerts(signal)) {
      write(`\n${colours.yellow(`! ${severity} ${timestamp.slice(11, 19)}Z ${text}`)}\n`);
      if (picture !== undefined) write(`${colours.dim(`  picture: ${pictureAt(picture)}`)}\n`);
    }
  } catch (error) {
    if (!signal.aborted) write(`Alerts are no longer shown here: ${error instanceof Error ? error.message : error}\n`);
  }
}
