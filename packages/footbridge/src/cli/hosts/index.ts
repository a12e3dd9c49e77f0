/** The MCP hosts on this machine, their configuration files and entries. */
export type { HostEntry, HostServer, Startable } from './entries.js';
export { whatIsMissing } from './entries.js';
export { type HostFile, readHostFile } from './read.js';
export { allHosts, findHost, type HostPlace, hostList, hostPlace, type McpHost, namedHosts, presentPlaces, shortName } from './registry.js';
