// Stores on disk

export {
  artifactPath,
  createFileArtifactStore,
  type FileArtifactStoreOptions,
} from "./artifacts/file-artifact-store.ts";
export { createFileLedgerStore, type FileLedgerStoreOptions } from "./budget/ledger-store.ts";
export {
  createJsonLines,
  type JsonLines,
  type JsonLinesOptions,
  type LineTarget,
  openJsonLines,
} from "./files/line-file.ts";
export { createFileSessionStore, type FileSessionStoreOptions } from "./session/file-session-store.ts";
