/** The configuration: whether it is valid, and every problem with it. */
import { type Config, findConfig, NOTHING } from '../config/index.js';
import { ConfigError } from '../config/problems.js';
import type { Io } from '../io.js';
import { type Finding, finding, type Section } from './finding.js';

export interface ConfigurationReport {
  /** Undefined where there is no file. */
  readonly file: string | undefined;
  readonly good: boolean;
}

/** `config` is empty where the file is invalid. */
export async function checkConfiguration(
  named: string | undefined,
  io: Io,
): Promise<{ readonly section: Section<ConfigurationReport>; readonly config: Config }> {
  try {
    const config = await findConfig(named, io);
    return { section: { data: { file: config.file, good: true }, findings: [] }, config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const file = named ?? 'footbridge.json';
    return { section: { data: { file, good: false }, findings: problemsOf(file, error) }, config: NOTHING };
  }
}

function problemsOf(file: string, { message: refusal, problems }: ConfigError): readonly Finding[] {
  if (problems.length > 0)
    return problems.map(({ action, message, place }) => finding('error', 'configuration', place, message, { action }));
  // A problem with the file as a whole, then what to do.
  const [message = '', ...actions] = refusal.split('\n');
  return [finding('error', 'configuration', file, message, { action: actions.join(' ') })];
}
