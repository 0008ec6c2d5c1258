// after npm pack: the source manifest is put back
import { putSourceBack } from "./manifest-swap.mjs";

if (!(await putSourceBack(process.cwd()))) {
  console.error(
    "package.json was put back before npm had packed: the tarball may hold the sources' manifest. Pack again.",
  );
  process.exitCode = 1;
}
