/** A strict parser for `multipart/form-data` with one file. */

export interface FilePart {
  readonly field: string;
  readonly filename: string;
  readonly bytes: Buffer;
}

/** Undefined unless the body is exactly one part with the expected headers. */
export function parseMultipart(body: Buffer, contentType: string): FilePart | undefined {
  const boundary = /^multipart\/form-data; boundary=([\w-]{1,70})$/.exec(contentType)?.[1];
  if (boundary === undefined) return undefined;
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const headEnd = body.indexOf('\r\n\r\n');
  if (headEnd < 0 || !body.subarray(-end.length).equals(end)) return undefined;
  const [first, disposition, type, ...more] = body.subarray(0, headEnd).toString('utf8').split('\r\n');
  if (first !== `--${boundary}` || type !== 'Content-Type: application/octet-stream' || more.length > 0) return undefined;
  const [, field, filename] = /^Content-Disposition: form-data; name="(\w+)"; filename="([^"\r\n]*)"$/.exec(disposition ?? '') ?? [];
  if (field === undefined || filename === undefined) return undefined;
  return { field, filename, bytes: body.subarray(headEnd + 4, -end.length) };
}
