// Stores on disk

export {
  artifactPath,
  createFileArtifactStore,
  type FileArtifactStoreOptions,
} from "./artifacts/file-artifact-store.ts";
export { createFileLedgerStore, type FileLedgerStoreOptions } from "./budget/file-ledger-store.ts";
export { createFileSessionStore, type FileSessionStoreOptions } from "./session/file-session-store.ts";
