/** What administrators see on the catalog page: upstreams, uses, costs and findings. */
import type { Catalog } from '../../../catalog/catalog.js';
import { callName, type Snapshot } from '../../../catalog/snapshot.js';
import { reasonOf } from '../../../errors.js';
import type { Log } from '../../../log.js';
import type { Upstream } from '../../../sources/forwarding.js';
import { qualifiedName, skillUri } from '../../../sources/skill-uri.js';
import { isUpstreamTool } from '../../../sources/source.js';
import { type SkillUses, USE_DAYS, type UseCounts } from '../../telemetry/skill-uses.js';
import type { PageFinding, PageInsight, PageInsightSkill, PageOffer, PageUpstream } from './shapes.js';

/** What skills cost and what is wrong with them. */
export interface Inspection {
  readonly skills: readonly {
    readonly uri: string;
    /** Of its entry in the list of skills. */
    readonly listTokens: number;
    readonly loadTokens: number;
    readonly changedAt: string | undefined;
  }[];
  readonly findings: readonly PageFinding[];
}

export interface InsightOptions {
  /** What is served to all callers together. */
  readonly catalog: Catalog;
  /** Undefined when uses are not counted. */
  readonly uses: SkillUses | undefined;
  readonly inspect: (() => Promise<Inspection>) | undefined;
  readonly log: Log;
}

/** How long a response waits for the inspection; a later one includes it. */
const INSPECTION_WAIT_MS = 2000;
const MAX_SKILLS = 2000;
const MAX_OFFERS = 500;
const MAX_FINDINGS = 200;
const MAX_DESCRIPTION = 300;

/** A function that returns the current insight. Each snapshot is inspected once. */
export function insightInto({ catalog, inspect, log, uses }: InsightOptions): () => Promise<PageInsight> {
  const inspected = new WeakMap<Snapshot, Promise<Inspection | undefined>>();
  const inspection = (): Promise<Inspection | undefined> => {
    const { snapshot } = catalog;
    const known = inspected.get(snapshot);
    if (known !== undefined || inspect === undefined) return known ?? Promise.resolve(undefined);
    const running = inspect().catch((cause: unknown) => {
      log.error(`Cannot inspect the skills: ${reasonOf(cause)}`);
      return undefined;
    });
    inspected.set(snapshot, running);
    return running;
  };
  return async () => {
    await catalog.settled();
    const [found, counts] = await Promise.all([within(INSPECTION_WAIT_MS, inspection()), uses?.sum()]);
    const { snapshot } = catalog;
    const findings = found === LATE ? [] : (found?.findings ?? []);
    return {
      days: USE_DAYS,
      counted: uses === undefined ? 'disabled' : counts === undefined ? 'unavailable' : 'counted',
      inspecting: found === LATE,
      upstreams: snapshot.upstreams.map((upstream) => describeUpstream(upstream, snapshot)),
      skills: describeSkills(snapshot, counts, found === LATE ? undefined : found),
      findings: findings.slice(0, MAX_FINDINGS),
      moreFindings: Math.max(0, findings.length - MAX_FINDINGS),
    };
  };
}

function describeSkills(snapshot: Snapshot, counts: UseCounts | undefined, found: Inspection | undefined): readonly PageInsightSkill[] {
  const costs = new Map(found?.skills.map((each) => [each.uri, each]));
  return snapshot.skills.slice(0, MAX_SKILLS).map((skill) => {
    const uri = skillUri(skill);
    const { changedAt, listTokens, loadTokens } = costs.get(uri) ?? {};
    const uses = counts === undefined ? undefined : (counts.get(qualifiedName(skill)) ?? 0);
    return { name: callName(snapshot, skill), uri, uses, listTokens, loadTokens, changedAt };
  });
}

function describeUpstream(upstream: Upstream, { prompts, tools }: Snapshot): PageUpstream {
  const { failure, isListed, name } = upstream;
  const offers = (all: readonly { readonly entry: { readonly name: string; readonly description?: unknown } }[]) =>
    all.slice(0, MAX_OFFERS).map(({ entry }): PageOffer => {
      const { description } = entry;
      return { name: entry.name, description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : '' };
    });
  return {
    name,
    status: failure === undefined ? (isListed ? 'available' : 'starting') : 'unavailable',
    kind: failure?.kind,
    reason: failure?.message,
    tools: offers(tools.filter((tool) => isUpstreamTool(tool) && tool.upstream.name === name)),
    prompts: offers(prompts.filter((prompt) => prompt.upstream.name === name)),
  };
}

const LATE = Symbol('late');

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
