/** The report of `lint` for other programs. */
import { VERSION } from '../../version.js';
import type { PlacedProblem } from './placed.js';

/** One workflow command for each problem: GitHub shows them beside the lines of a pull request. */
export function githubLines(problems: readonly PlacedProblem[]): readonly string[] {
  return problems.map(({ action, file, message, place, rule, severity }) => {
    const at = place === undefined ? '' : `,line=${place.line},col=${place.column}`;
    return `::${severity} file=${property(file)}${at},title=${property(rule)}::${data(`${message} ${action}`)}`;
  });
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** A log of SARIF 2.1.0. */
export function sarifLog(problems: readonly PlacedProblem[]) {
  const rules = [...new Set(problems.map(({ rule }) => rule))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'footbridge lint',
            version: VERSION,
            rules: rules.map((id) => ({ id, defaultConfiguration: { level: levelOf(problems, id) } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: problems.map(({ action, file, message, place, rule, severity }) => ({
          ruleId: rule,
          ruleIndex: rules.indexOf(rule),
          level: severity,
          message: { text: `${message} ${action}`.trim() },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(file) },
                ...(place === undefined ? {} : { region: { startLine: place.line, startColumn: place.column } }),
              },
            },
          ],
        })),
      },
    ],
  };
}

function levelOf(problems: readonly PlacedProblem[], rule: string): 'error' | 'warning' {
  return problems.some((problem) => problem.rule === rule && problem.severity === 'error') ? 'error' : 'warning';
}

function uriOf(file: string): string {
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
}
