/** Plugins that a marketplace refers to in other sources. */

import type { Fields } from '../../../json.js';
import { asText } from '../../../json.js';

export interface PluginElsewhere {
  readonly name: string;
  /** How it is added. */
  readonly source: string;
}

/** It is shown in a command, so it has only characters without a meaning to a shell. */
const SAFE = /^[\w@:./#+~-]+$/;
const LONGEST = 500;

/** The specification of a source; undefined if it has none. */
export function placeElsewhere({ package: name, path, ref, repo, sha, source, url, version }: Fields): string | undefined {
  const at = typeof sha === 'string' ? sha : typeof ref === 'string' ? ref : '';
  const below = typeof path === 'string' ? path.replace(/^\.?\//, '') : '';
  const found =
    source === 'github'
      ? github(repo, below, at)
      : source === 'npm'
        ? `npm:${asText(name)}${typeof version === 'string' ? `@${version}` : ''}`
        : source === 'url' || source === 'git' || source === 'git-subdir'
          ? (github(url, below, at) ?? repository(url, below, at))
          : undefined;
  return found !== undefined && found.length <= LONGEST && SAFE.test(found) ? found : undefined;
}

function github(repository: unknown, below: string, at: string): string | undefined {
  if (typeof repository !== 'string' || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return undefined;
  return `github:${repository}${below === '' ? '' : `/${below}`}${at === '' ? '' : `@${at}`}`;
}

function repository(url: unknown, below: string, at: string): string | undefined {
  if (typeof url !== 'string' || !/^(?:https:\/\/|ssh:\/\/|git@)/.test(url)) return undefined;
  const address = url.startsWith('https://') && !url.endsWith('.git') ? `git+${url}` : url;
  const place = below === '' ? at : `${at}:${below}`;
  return place === '' ? address : `${address}#${place}`;
}
