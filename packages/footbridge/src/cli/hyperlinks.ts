/** Links in terminals that support them: the text is shown, and a click opens its address. */
import { pathToFileURL } from 'node:url';

/** Whether the terminal is known to support them. Others may show the escape sequence as text. */
export function supportsHyperlinks(isTerminal: boolean, env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  const forced = env['FORCE_HYPERLINK'];
  if (forced !== undefined && forced !== '') return forced !== '0';
  if (!isTerminal || env['TERM'] === 'dumb' || env['CI'] || env['TMUX'] || env['STY']) return false;
  const [major = 0, minor = 0] = versionOf(env['TERM_PROGRAM_VERSION']);
  switch (env['TERM_PROGRAM']) {
    case 'iTerm.app':
      return major > 3 || (major === 3 && minor >= 1);
    case 'vscode':
      return major > 1 || (major === 1 && minor >= 72) || env['CURSOR_TRACE_ID'] !== undefined;
    case 'WezTerm':
    case 'ghostty':
    case 'zed':
    case 'Hyper':
      return true;
  }
  if (platform === 'win32') return env['WT_SESSION'] !== undefined;
  // GNOME Terminal and others that use its library, which crashed at a link in 0.50.0.
  if (env['VTE_VERSION'] !== undefined) return Number(env['VTE_VERSION']) > 5000;
  return env['KONSOLE_VERSION'] !== undefined || /^(?:alacritty|foot|xterm-kitty|xterm-ghostty|wezterm)\b/.test(env['TERM'] ?? '');
}

function versionOf(text = ''): readonly number[] {
  return text.split('.').map((part) => Number.parseInt(part, 10) || 0);
}

export function hyperlink(text: string, address: string): string {
  return `\u001b]8;;${address}\u0007${text}\u001b]8;;\u0007`;
}

/** Of a file, or of a folder. */
export function addressOf(path: string): string {
  return pathToFileURL(path).href;
}
