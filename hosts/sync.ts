/** Whether what `footbridge sync` writes shows up among a host's own skills, once, and is gone after `--remove`. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusSkills, writeSkill } from './corpus/skills.js';
import { drive, type Roots } from './drive.js';
import { mentions } from './knowledge.js';
import { footbridge, SESSION_MS, type Subject, withFolder } from './measure.js';

const COMMAND_MS = 60_000;

/** How often the first turn mentions a skill of an upstream. */
export interface SyncRow {
  /** In the host alone, after it was written and after it was removed. */
  readonly written: number;
  readonly removed: number;
  /** After it was written, with Footbridge and its upstream connected. */
  readonly together: number;
  readonly problem?: string;
}

/** An upstream with one skill, in a project of its own for each session. */
export async function measureSync({ host, installed, programs }: Subject): Promise<SyncRow> {
  return withFolder(async (folder) => {
    const [skill] = corpusSkills(1);
    if (skill === undefined) throw new Error('There are no skills.');
    writeSkill(folder, skill);
    const args = [programs.otherServer, join(folder, skill.name)];
    const config = JSON.stringify({ mcpServers: { team: { command: process.execPath, args } } });
    const problems: string[] = [];
    const plant = (roots: Roots, ...commands: readonly (readonly string[])[]) => {
      writeFileSync(join(roots.project, 'footbridge.json'), config);
      for (const command of commands) problems.push(...runSync(programs.footbridge, roots, command));
    };
    const write = ['--to', host.id, '--skill', skill.name];
    const session = (plantIn: (roots: Roots) => void, isConnected: boolean) => {
      const server = isConnected ? { server: footbridge(programs, '--config', 'footbridge.json') } : {};
      const calls = isConnected ? [{ tool: 'skill', input: { name: skill.name } }] : [];
      return drive(host, installed, { ...server, calls, plant: plantIn, timeoutMs: SESSION_MS }, programs.tap);
    };
    const written = await session((roots) => plant(roots, write), false);
    const removed = await session((roots) => plant(roots, write, ['--remove']), false);
    const together = await session((roots) => plant(roots, write), true);
    const problem = [...problems, ...[written, removed, together].flatMap((each) => each.problem ?? [])].join(' ');
    const view = host.searchesFirst ? together.before.at(-1) : together.first;
    return {
      written: mentions(written.first, skill.name),
      removed: mentions(removed.first, skill.name),
      together: mentions(view, skill.name),
      ...(problem === '' ? {} : { problem }),
    };
  });
}

function runSync(program: string, { home, project }: Roots, args: readonly string[]): readonly string[] {
  const { status, stderr } = spawnSync(process.execPath, [program, 'sync', '--config', 'footbridge.json', '--yes', ...args], {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: home, USERPROFILE: home },
    encoding: 'utf8',
    timeout: COMMAND_MS,
  });
  return status === 0 ? [] : [`footbridge sync ended with ${status}: ${stderr.trim()}`];
}
