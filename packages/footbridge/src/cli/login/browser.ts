/** Opens a page in the user's browser. */
import { spawn } from 'node:child_process';

/** False where there is no browser. The URL is an argument of its own, never part of a command line. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  const [command, ...args] = openerFor(platform, env) ?? [];
  if (command === undefined) return false;
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore', windowsHide: true });
  child.on('error', () => {});
  child.unref();
  return true;
}

function openerFor(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): readonly string[] | undefined {
  if (platform === 'darwin') return ['open'];
  // Unlike `cmd /c start`, it does not interpret characters of the URL.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
}
