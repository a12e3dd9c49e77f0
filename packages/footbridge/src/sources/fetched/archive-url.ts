/** The kind `archive`: a `.skill`, `.zip`, `.tgz` or `.tar.gz` at an https URL. */
import { digestOf } from '../skills/digest.js';
import { unpackArchive } from './archive/index.js';
import { download, safeUrlOf } from './download.js';
import { FetchError } from './fetch-error.js';
import type { SourceKind } from './kind.js';

const ARCHIVE = /\.(?:skill|zip|tgz|tar\.gz|tar)$/i;

export const archiveKind: SourceKind = {
  name: 'archive',
  form: 'the https URL of a .skill, .zip or .tgz file',
  parse(specification) {
    if (!/^https?:\/\//.test(specification) || !URL.canParse(specification)) return undefined;
    if (!ARCHIVE.test(new URL(specification).pathname)) return undefined;
    const { href, pathname } = safeUrlOf(specification);
    const name = decoded(pathname.split('/').at(-1) ?? '').replace(ARCHIVE, '');
    return {
      specification,
      title: name === '' ? 'skill' : name,
      async fetch({ isPublicOnly, pin, signal, staging }) {
        const { bytes } = await download(href, { isPublicOnly, signal });
        const resolved = resolvedArchive(bytes);
        if (pin !== undefined && resolved.pin['digest'] !== pin['digest']) throw changed(specification);
        await unpackArchive(bytes, { staging });
        return resolved;
      },
    };
  },
};

/** Unchanged if it is not percent-encoded UTF-8. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function resolvedArchive(bytes: Uint8Array) {
  const digest = digestOf(bytes);
  return { pin: { digest }, version: digest.slice(0, 'sha256:'.length + 12) };
}

function changed(specification: string): FetchError {
  return new FetchError(
    `${specification} is not the file that is in footbridge.lock.`,
    'Ask its publisher why it changed. To review and accept the change, run: footbridge update',
  );
}
