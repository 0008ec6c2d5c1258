// node scripts/api-page/generate.ts → docs/agent-core/api.md
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_PAGE, readEntries, toApiPage, undocumented } from "./api-page.ts";

const root = join(import.meta.dirname, "../..");
const entries = readEntries(root);
writeFileSync(join(root, API_PAGE), toApiPage(entries));
const missing = undocumented(entries);
console.log(missing.length === 0 ? "Every name has a sentence." : `Without a sentence: ${missing.join(", ")}`);
