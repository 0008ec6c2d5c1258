// Settings of an agent from a document, and keys from the environment

export { type AgentConfig, type ParseAgentConfigOptions, parseAgentConfig } from "./config/agent-config.ts";
export { type Credential, credentialVariables, type Provider, readCredential } from "./config/credentials.ts";
