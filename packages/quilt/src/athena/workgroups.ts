/** The workgroups that queries run in. */
import type { Session } from '../aws/aws.js';
import { notAws } from '../aws/failure.js';
import { problemOf } from '../failure.js';
import { sideBySide } from '../side-by-side.js';
import { allPages, following } from './pages.js';
import { CALLS_AT_ONCE, partly } from './parts.js';
import { timeOf } from './time.js';

export async function workgroups(session: Session, signal: AbortSignal) {
  const { entries, isWhole } = await workgroupNames(session, signal);
  const all = await sideBySide(entries, CALLS_AT_ONCE, ({ description, name, state }) =>
    partly(
      () => detailsOf(session, name, signal),
      (details) => ({ name, state, description, ...details }),
      (failure) => ({ name, state, description, problem: problemOf(failure) }),
    ),
  );
  const failed = all.filter((each) => 'problem' in each).length;
  return { region: session.region, workgroups: all, count: all.length, failed, complete: isWhole && failed === 0 };
}

export async function workgroupNames(session: Session, signal: AbortSignal) {
  const { ListWorkGroupsCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  return allPages(async (token) => {
    const page = new ListWorkGroupsCommand({ MaxResults: 50, ...following(token) });
    const { NextToken, WorkGroups = [] } = await session.call('athena:ListWorkGroups', signal, (abortSignal) =>
      athena.send(page, { abortSignal }),
    );
    const entries = WorkGroups.map(({ Description, Name, State }) => ({
      name: Name ?? '',
      state: State ?? null,
      description: Description || null,
    }));
    return { entries, next: NextToken };
  });
}

async function detailsOf(session: Session, WorkGroup: string, signal: AbortSignal) {
  const { GetWorkGroupCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  const { WorkGroup: found } = await session.call('athena:GetWorkGroup', signal, (abortSignal) =>
    athena.send(new GetWorkGroupCommand({ WorkGroup }), { abortSignal }),
  );
  if (typeof found?.Name !== 'string') throw notAws('athena:GetWorkGroup');
  const { BytesScannedCutoffPerQuery, EnforceWorkGroupConfiguration, EngineVersion, ResultConfiguration } = found.Configuration ?? {};
  return {
    output_location: ResultConfiguration?.OutputLocation ?? null,
    enforces_configuration: EnforceWorkGroupConfiguration ?? false,
    engine_version: EngineVersion?.EffectiveEngineVersion ?? null,
    bytes_scanned_cutoff: BytesScannedCutoffPerQuery ?? null,
    created_at: timeOf(found.CreationTime),
  };
}
