/** Records the command lines and environments of a process and its descendants. */
import { readdirSync, readFileSync } from 'node:fs';

export interface SeenProcess {
  readonly pid: number;
  readonly command: string;
  readonly environment: string;
}

export interface ProcessWatch {
  /** One entry per process and command line. */
  readonly seen: readonly SeenProcess[];
  stop(): void;
}

const POLL_MS = 20;

export function watchProcesses(root: number): ProcessWatch {
  const seen = new Map<string, SeenProcess>();
  const look = () => {
    for (const pid of familyOf(root)) {
      const command = read(`/proc/${pid}/cmdline`);
      const environment = read(`/proc/${pid}/environ`);
      seen.set(`${pid} ${command}`, { pid, command, environment });
    }
  };
  look();
  const timer = setInterval(look, POLL_MS);
  return {
    get seen() {
      return [...seen.values()];
    },
    stop: () => clearInterval(timer),
  };
}

/** The processes of a session. */
export function inSession(session: number): readonly number[] {
  return list('/proc')
    .map(Number)
    .filter((pid) => {
      const stat = read(`/proc/${pid}/stat`);
      const [state, , , own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state !== 'Z' && Number(own) === session;
    });
}

/** Whether a process has this text on its command line. */
export function isRunningWith(text: string): boolean {
  return list('/proc').some((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/cmdline`).includes(text));
}

function familyOf(root: number): readonly number[] {
  const children = list(`/proc/${root}/task`).flatMap((thread) => read(`/proc/${root}/task/${thread}/children`).split(' '));
  return [root, ...children.filter((pid) => /^\d+$/.test(pid)).flatMap((pid) => familyOf(Number(pid)))];
}

/** Empty if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
