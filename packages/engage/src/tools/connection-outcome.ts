/** A connection as the tools show it. */
import type { ConnectionView } from '../jira/connection-record.js';
import type { Outcome } from './tool.js';

export function connectionOutcome({ text, ...view }: ConnectionView): Outcome {
  return { text: `${text} Its connection_id is ${view.connection_id}.`, structured: { ...view } };
}
