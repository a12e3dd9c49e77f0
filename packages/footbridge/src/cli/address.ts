/** The address that `--http` names. */

/** What it means, or what is wrong with it. */
export function parseAddress(value: string): { host: string; port: number } | { problem: string } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return { problem: `'${value}' is not [HOST:]PORT, such as 3333 or 127.0.0.1:3333.` };
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}
