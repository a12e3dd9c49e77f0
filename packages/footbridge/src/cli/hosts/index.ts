/** MCP hosts on this machine: which there are, where they keep their configuration, and what is in it. */
export type { HostEntry, HostServer, Startable } from './entries.js';
export { whatIsMissing } from './missing.js';
export { hostList, namedHosts } from './named.js';
export { type HostFile, readHostFile } from './read.js';
export { allHosts, findHost, type HostPlace, hostPlace, type McpHost, presentPlaces, shortName } from './registry.js';
