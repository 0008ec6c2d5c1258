// The thread of one camera. Every thread loads the engine anew: what was compiled before need not be again.
import { enableCompileCache } from "node:module";

enableCompileCache();
const { runThread } = await import("./run-thread.ts");
runThread();
