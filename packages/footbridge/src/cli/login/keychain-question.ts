/** Accesses the keychain in a separate process, which can be ended while it waits for a password. */
import { spawn } from 'node:child_process';
import { thisProgram } from '../this-program.js';

/** The user may have to type a password. */
const LIMIT_MS = 30_000;
const LONGEST = 1024;

/** Rejects where the keychain is locked, missing or does not answer. */
export async function askKeychain(words: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<string> {
  const { file, node } = thisProgram();
  const child = spawn(node, [file, 'keychain', ...words], { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true, env });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(0, LONGEST);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS).unref();
  try {
    const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
    if (code !== 0) throw new Error('The keychain cannot be used.');
    return output;
  } finally {
    clearTimeout(timer);
  }
}
