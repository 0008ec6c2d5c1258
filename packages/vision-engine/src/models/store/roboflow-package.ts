// Roboflow's API → model folder
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { downloadFile, type Fetch } from "./download-file.ts";
import type { FetchOptions } from "./fetch-progress.ts";
import { installFolder } from "./install-package.ts";
import type { RoboflowApi } from "./roboflow-api.ts";

export interface RoboflowPackageRequest extends FetchOptions {
  readonly api: RoboflowApi;
  readonly fetch: Fetch;
  readonly id: string;
  /** Where the model's folder goes. */
  readonly target: string;
}

/** Fetches a model's ONNX package into a folder in Roboflow's own form. Throws `EngineError` kind `model`. */
export async function installRoboflowPackage(request: RoboflowPackageRequest): Promise<void> {
  const { api, fetch, id, target, ...fetching } = request;
  await installFolder(target, fetching, async (draft) => {
    const { architecture, task, files } = await api.modelPackage(id, fetching.signal);
    // Parts that broke off must outlive the draft.
    const parts = `${target}.parts`;
    await mkdir(parts, { recursive: true });
    for (const { name, url, md5 } of files) {
      // A name is a name, never a path to elsewhere.
      const file = join(draft, basename(name));
      const checksum = md5 === undefined ? undefined : ({ algorithm: "md5", encoding: "hex", value: md5 } as const);
      const part = join(parts, basename(name));
      await downloadFile({ ...fetching, fetch, url, name: `${basename(name)} of ${id}`, file, part, checksum });
    }
    const config = { model_architecture: architecture, task_type: task, backend_type: "onnx" };
    await writeFile(join(draft, "model_config.json"), JSON.stringify(config));
    await writeFile(
      join(draft, "NOTICE"),
      `The model "${id}", fetched from Roboflow. Its licence is that of its workspace.\n`,
    );
    await rm(parts, { recursive: true });
  });
}
