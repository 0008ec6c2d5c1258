// npm run audit [-- --registry ADDRESS] → known weaknesses of the packages, and their licences
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toLicenceReport } from "./audit/licences.ts";

const root = join(import.meta.dirname, "..");

interface AuditAnswer {
  readonly message?: string;
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

/** True when nothing is known against a package. */
function auditWeaknesses(): boolean {
  const args = ["audit", "--json", ...process.argv.slice(2)];
  const { stdout } = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  let answer: AuditAnswer = {};
  try {
    answer = JSON.parse(stdout) as AuditAnswer;
  } catch {
    // npm has said nothing that can be read: what is below tells so.
  }
  if (answer.metadata === undefined) {
    console.log("Weaknesses: not known, no registry answers audits here. Try: npm run audit -- --registry ADDRESS");
    return false;
  }
  const found = Object.entries(answer.vulnerabilities ?? {});
  console.log(`Weaknesses: ${found.length === 0 ? "none known" : found.length}`);
  for (const [name, { severity, range }] of found) console.log(`  ${severity.padEnd(10)} ${name} ${range}`);
  return found.length === 0;
}

/** True when every licence is allowed and every package has a checksum. */
function auditLicences(): boolean {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { groups, refused, unpinned } = toLicenceReport(packages);
  console.log("Licences:");
  for (const [licence, names] of groups) {
    const shown = names.slice(0, 4).join(", ");
    console.log(
      `  ${licence.padEnd(44)} ${String(names.length).padStart(4)}  ${shown}${names.length > 4 ? ", …" : ""}`,
    );
  }
  for (const name of refused)
    console.log(`  not allowed: ${name}. Replace it, or read it and add it to scripts/audit/licences.ts`);
  for (const name of unpinned) console.log(`  without a checksum: ${name}`);
  return refused.length === 0 && unpinned.length === 0;
}

const outcomes = [auditLicences(), auditWeaknesses()];
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
