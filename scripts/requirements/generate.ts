// node scripts/requirements/generate.ts → docs/requirements.md
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { GROUPS } from "./requirements.data.ts";
import { openIds, toCoverage, toRequirementsPage } from "./requirements-page.ts";
import { findTests } from "./test-names.ts";

const root = join(import.meta.dirname, "../..");
const tests = findTests(root);
writeFileSync(join(root, "docs/requirements.md"), toRequirementsPage(GROUPS, tests));
const open = openIds(toCoverage(GROUPS, tests));
console.log(open.length === 0 ? "Every requirement has a test or a reason." : `Open: ${open.join(", ")}`);
