// npm pack, in a package's folder → dist and the published manifest; postpack.mjs undoes the latter
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildPackage } from "./build-package.mjs";
import { putSourceBack, swapManifest } from "./manifest-swap.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = process.cwd();
await putSourceBack(folder); // of a packing that was killed
await buildPackage(root, folder);
const guard = fileURLToPath(new URL("./swap-guard.mjs", import.meta.url));
await swapManifest(root, folder);
spawn(process.execPath, [guard, folder], { detached: true, stdio: "ignore", windowsHide: true }).unref();
