// Stores on disk
export { createFileArtifactStore, type FileArtifactStoreOptions } from "./artifacts/file-artifact-store.ts";
export { createFileSessionStore, type FileSessionStoreOptions } from "./session/file-session-store.ts";
