/** Athena workgroups. */
import { mapConcurrently } from '../async.js';
import { notAws } from '../aws/errors.js';
import type { AwsSession } from '../aws/session.js';
import { problemOf } from '../failure.js';
import { isoTime, MAX_CONCURRENT_CALLS, readPages, settle } from './paging.js';

export async function workgroups(session: AwsSession, signal: AbortSignal) {
  const { entries, isComplete } = await workgroupNames(session, signal);
  const all = await mapConcurrently(entries, MAX_CONCURRENT_CALLS, ({ description, name, state }) =>
    settle(
      () => detailsOf(session, name, signal),
      (details) => ({ name, state, description, ...details }),
      (failure) => ({ name, state, description, problem: problemOf(failure) }),
    ),
  );
  const failed = all.filter((each) => 'problem' in each).length;
  return { region: session.region, workgroups: all, count: all.length, failed, complete: isComplete && failed === 0 };
}

export async function workgroupNames(session: AwsSession, signal: AbortSignal) {
  const { ListWorkGroupsCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  return readPages(async (next) => {
    const command = new ListWorkGroupsCommand({ MaxResults: 50, ...next });
    const { NextToken, WorkGroups = [] } = await session.call('athena:ListWorkGroups', signal, (abortSignal) =>
      athena.send(command, { abortSignal }),
    );
    const entries = WorkGroups.map(({ Description, Name, State }) => ({
      name: Name ?? '',
      state: State ?? null,
      description: Description || null,
    }));
    return { entries, next: NextToken };
  });
}

async function detailsOf(session: AwsSession, WorkGroup: string, signal: AbortSignal) {
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
    created_at: isoTime(found.CreationTime),
  };
}
