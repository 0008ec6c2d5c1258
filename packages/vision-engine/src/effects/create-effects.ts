// options of the application → ways out for sinks
import type { Effects } from "../blocks/effects.ts";
import { inputError } from "../errors.ts";
import { createBrokerConnections } from "./broker-connections.ts";
import { createFileFolder } from "./file-folder.ts";
import { createHttpSender } from "./guarded-fetch.ts";
import { createMailer } from "./mailer.ts";
import { createObjectStore } from "./object-store.ts";

export interface EffectsOptions {
  /** Folder that `local_file_sink` may write below; absent forbids it. */
  readonly filesFolder?: string;
  /** Web requests reach public addresses only and follow no redirects. Default false: cameras and homes have local servers. */
  readonly publicAddressesOnly?: boolean;
  /** Certificate (PEM) of your own mail server. */
  readonly mailCa?: string;
  /** Address of a service that speaks S3, instead of Amazon's. */
  readonly s3Endpoint?: string;
  /** For blocks that send through Roboflow. */
  readonly roboflow?: { readonly apiUrl: string; readonly apiKey: string };
  /** No sink does anything. Default false. */
  readonly sinksDisabled?: boolean;
  /** Told when something that was sent in the background failed. Must not throw. */
  readonly onFailure?: (sentence: string) => void;
}

/** Effects that hold connections. */
export interface OpenEffects extends Effects {
  /** Waits for what is being sent, then closes connections. May be called twice. */
  close(): Promise<void>;
}

export function createEffects(options: EffectsOptions = {}): OpenEffects {
  const http = createHttpSender({ publicOnly: options.publicAddressesOnly ?? false });
  const brokers = createBrokerConnections();
  const working = new Set<Promise<void>>();
  return {
    http,
    mail: createMailer(options.mailCa === undefined ? {} : { ca: options.mailCa }),
    connectBroker: brokers.connect,
    putObject: createObjectStore({
      http,
      pause,
      endpoint: options.s3Endpoint,
    }),
    cooldowns: new Map(),
    ...(options.filesFolder !== undefined && { files: createFileFolder(options.filesFolder) }),
    ...(options.roboflow !== undefined && { roboflow: roboflowProxy(http, options.roboflow) }),
    sinksDisabled: options.sinksDisabled,
    background(work) {
      const told = work.then((failure) => {
        if (failure !== undefined) options.onFailure?.(failure);
      });
      working.add(told);
      void told.finally(() => working.delete(told));
    },
    async close() {
      await Promise.all(working);
      await brokers.close();
    },
  };
}

function roboflowProxy(
  http: NonNullable<Effects["http"]>,
  { apiUrl, apiKey }: NonNullable<EffectsOptions["roboflow"]>,
): NonNullable<Effects["roboflow"]> {
  return async (endpoint, payload) => {
    const response = await http(`${apiUrl}/${endpoint}?api_key=${encodeURIComponent(apiKey)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(payload),
      signal: AbortSignal.timeout(30_000),
    });
    await response.body?.cancel();
    if (!response.ok) throw inputError(`Roboflow answered ${response.status}`);
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
