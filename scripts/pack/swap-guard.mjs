// Started by prepack.mjs: puts the source manifest back when npm ended without postpack, because it failed or was killed.
import { setTimeout as sleep } from "node:timers/promises";
import { isSwapped, putSourceBack } from "./manifest-swap.mjs";

// npm reads the files within a second or two.
const [folder, limitMs = "30000"] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the package's folder.");
const endsAt = Date.now() + Number(limitMs);
while (isSwapped(folder) && Date.now() < endsAt) await sleep(200);
await putSourceBack(folder);
