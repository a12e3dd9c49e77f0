/** Formats a number of bytes. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const kilobytes = bytes / 1000;
  return kilobytes < 1000 ? `${round(kilobytes)} kB` : `${round(kilobytes / 1000)} MB`;
}

function round(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
