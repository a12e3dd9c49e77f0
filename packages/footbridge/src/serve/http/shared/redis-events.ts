/** What was sent to sessions, kept in Redis for the replica that a client comes back to. */
import { type EventLog, type LoggedEvent, MAX_EVENTS } from './event-log.js';
import type { RedisLink } from './redis-link.js';
import { SESSION_IDLE_MS } from './shared-state.js';

export const eventsKeyOf = (session: string) => `footbridge:session-events:${session}`;

/** Adds events of a session, and takes away there what had to make room here. Whether that is done; doing it twice does no harm. */
export async function addEvents(link: RedisLink, session: string, log: EventLog, events: readonly LoggedEvent[]): Promise<boolean> {
  const key = eventsKeyOf(session);
  const members = events
    .filter(({ time }) => time > log.forgottenUntil)
    .map(({ id, time, stream, text }) => ({ score: time, value: JSON.stringify([id, time, stream, text]) }));
  const done = await link.ask((redis) => {
    const commands = redis.multi().zRemRangeByScore(key, '-inf', log.forgottenUntil);
    if (members.length > 0) commands.zAdd(key, members);
    return commands
      .zRemRangeByRank(key, 0, -MAX_EVENTS - 1)
      .pExpire(key, SESSION_IDLE_MS)
      .exec();
  });
  return done !== undefined;
}

/** The events of a session on whatever replica, those in `log` among them, oldest first. */
export async function allEvents(link: RedisLink, session: string, log: EventLog): Promise<LoggedEvent[]> {
  const members = (await link.ask((redis) => redis.zRange(eventsKeyOf(session), 0, -1))) ?? [];
  const events = new Map(members.flatMap(readEvent).map((event) => [event.id, event]));
  for (const event of log.events) events.set(event.id, event);
  return [...events.values()].sort((one, other) => one.time - other.time);
}

function readEvent(member: string): LoggedEvent[] {
  try {
    const [id, time, stream, text]: unknown[] = JSON.parse(member);
    const whole = typeof id === 'string' && typeof time === 'number' && typeof stream === 'string' && typeof text === 'string';
    return whole ? [{ id, time, stream, text }] : [];
  } catch {
    return [];
  }
}
