// a thread that captions one red picture
import { parentPort, workerData } from "node:worker_threads";
import { frameOf } from "../../../testing/index.ts";
import { importTransformers, type LoadTransformers } from "../transformers.ts";
import { createTransformersModels } from "../transformers-models.ts";
import { noteHosts } from "./note-hosts.ts";

const { entry, hub, application } = workerData as { entry?: string; hub: string; application: string };

const hosts = new Set<string>();
noteHosts(hosts);

const load: LoadTransformers = async () => {
  const transformers = entry === undefined ? await importTransformers() : await import(entry);
  Object.assign(transformers.env, { remoteHost: hub, cacheDir: `${application}/thread`, allowLocalModels: false });
  return transformers;
};

const model = await createTransformersModels(load).open("huggingface/tiny/florence", "captioning")!;
const rgba = Uint8ClampedArray.from({ length: 4 * 64 * 48 }, (_, at) => (at % 4 === 0 || at % 4 === 3 ? 255 : 0));
const caption = await model.caption({ ...frameOf(), rgba }, "short");
await model.close();
parentPort!.postMessage({ caption, hosts: [...hosts] });
