/** Athena workgroups. */
import { mapConcurrently } from '../async.js';
import { notAws } from '../aws/errors.js';
import type { AwsSession } from '../aws/session.js';
import { Failure, problemOf } from '../failure.js';

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

/** Athena allows few calls per second. */
export const MAX_CONCURRENT_CALLS = 8;
const MAX_PAGES = 100;

/** Reads pages until the last one, or until there are `enough` entries. An empty page is not the end. */
export async function readPages<Entry>(
  read: (next: { NextToken?: string }) => Promise<{ readonly entries: readonly Entry[]; readonly next: string | undefined }>,
  enough = Number.POSITIVE_INFINITY,
): Promise<{ readonly entries: readonly Entry[]; readonly isComplete: boolean }> {
  const entries: Entry[] = [];
  let next: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = await read(next ? { NextToken: next } : {});
    for (const entry of page.entries) entries.push(entry);
    next = page.next;
    if (!next || entries.length >= enough) return { entries, isComplete: true };
  }
  return { entries, isComplete: false };
}

/** One of many calls: its failure is a result, unless it is a login failure, which affects all. */
export async function settle<T, Success, Error>(
  run: () => Promise<T>,
  onSuccess: (value: T) => Success,
  onFailure: (failure: Failure) => Error,
): Promise<Success | Error> {
  try {
    return onSuccess(await run());
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.kind === 'login') throw cause;
    return onFailure(cause);
  }
}

/** Null if the date is missing or invalid. */
export function isoTime(date: Date | undefined): string | null {
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
