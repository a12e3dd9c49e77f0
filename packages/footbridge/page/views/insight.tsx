/** For administrators: upstreams, how skills are used and what they cost, findings and changes. */
import { useEffect, useState } from 'preact/hooks';
import type { PageFinding, PageInsight, PageInsightSkill, PageUpstream } from '../../src/serve/http/page/shapes.js';
import { Loading, ProblemNote } from '../parts/notices.js';
import { Title } from '../parts/title.js';
import { Problem, request } from '../request.js';
import { hashOfItem } from '../route.js';
import { Upstreams } from './upstreams.js';

/** Until costs and findings are known, and then while the page is open. */
const SOON_MS = 2000;
const LATER_MS = 30_000;
const MAX_ROWS = 100;
const MAX_CHANGES = 10;

export function InsightView() {
  const [insight, setInsight] = useState<PageInsight>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const load = async () => {
      let next = LATER_MS;
      try {
        const found: PageInsight = await (await request('api/insight')).json();
        if (!isCurrent) return;
        setInsight(found);
        setProblem(undefined);
        if (found.inspecting) next = SOON_MS;
      } catch (error) {
        if (!isCurrent) return;
        setProblem(error instanceof Problem ? error : new Problem('gone', String(error)));
      }
      timer = setTimeout(load, next);
    };
    void load();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, []);
  return (
    <main class="page insight" tabIndex={-1}>
      <Title>Insight</Title>
      <p class="lead">What this server offers, and how much of it is used. Only administrators see this page.</p>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {insight === undefined && problem === undefined && <Loading what="the figures" />}
      {insight !== undefined && <Parts insight={insight} />}
    </main>
  );
}

function Parts({ insight }: { readonly insight: PageInsight }) {
  const { findings, inspecting, moreFindings, skills, upstreams } = insight;
  return (
    <>
      <Summary insight={insight} />
      <Upstreams upstreams={upstreams} />
      <Uses insight={insight} />
      <Findings findings={findings} more={moreFindings} inspecting={inspecting} />
      <Changes skills={skills} />
    </>
  );
}

function Summary({ insight: { counted, days, findings, moreFindings, skills, upstreams } }: { readonly insight: PageInsight }) {
  const down = upstreams.filter(isDown).length;
  const unused = skills.filter(({ uses }) => uses === 0).length;
  const listed = skills.reduce((sum, { listTokens = 0 }) => sum + listTokens, 0);
  const figures: readonly (readonly [string, string, string])[] = [
    ['Upstream servers', number(upstreams.length), down === 0 ? 'all available' : `${down} unavailable`],
    ['Skills', number(skills.length), counted === 'counted' ? `${number(unused)} not used in ${days} days` : 'loads are not counted'],
    ['List of skills', `≈\u00a0${number(listed)}`, 'tokens in each conversation, with all descriptions'],
    ['Findings', number(findings.length + moreFindings), 'reported by footbridge lint'],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value, note]) => (
        <div key={name} class="card">
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong>
            <span class="note">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isDown({ status }: PageUpstream): boolean {
  return status === 'unavailable';
}

const UNCOUNTED = {
  counted: '',
  disabled: 'Loads are not counted: "usage" is false in footbridge.json.',
  unavailable: 'The counts cannot be read at the moment.',
} as const;

function Uses({ insight: { counted, days, inspecting, skills } }: { readonly insight: PageInsight }) {
  const sorted = [...skills].sort((one, other) => (other.uses ?? 0) - (one.uses ?? 0) || (one.name < other.name ? -1 : 1));
  const unused = counted === 'counted' ? sorted.filter(({ uses }) => uses === 0) : [];
  const shown = sorted.filter((skill) => !unused.includes(skill));
  return (
    <section aria-labelledby="uses">
      <h2 id="uses">Skills in the last {days} days</h2>
      {counted !== 'counted' && <p class="note">{UNCOUNTED[counted]}</p>}
      {inspecting && <Loading what="costs" />}
      {shown.length > 0 && <SkillTable skills={shown} counted={counted === 'counted'} />}
      {shown.length === 0 && skills.length > 0 && <p>No skill has been loaded over HTTP yet.</p>}
      {skills.length === 0 && <p>This server has no skills.</p>}
      {unused.length > 0 && (
        <details>
          <summary>
            {number(unused.length)} not used in {days} days
          </summary>
          <SkillTable skills={unused} counted />
        </details>
      )}
    </section>
  );
}

function SkillTable({ counted, skills }: { readonly counted: boolean; readonly skills: readonly PageInsightSkill[] }) {
  const most = Math.max(1, ...skills.map(({ uses = 0 }) => uses));
  return (
    <>
      <table class="figures-table">
        <thead>
          <tr>
            <th scope="col">Skill</th>
            {counted && (
              <th scope="col" class="number">
                Loads
              </th>
            )}
            <th scope="col" class="number">
              Tokens to load
            </th>
            <th scope="col" class="number">
              Tokens to list
            </th>
          </tr>
        </thead>
        <tbody>
          {skills.slice(0, MAX_ROWS).map(({ listTokens, loadTokens, name, uri, uses = 0 }) => (
            <tr key={uri}>
              <th scope="row">
                <a href={hashOfItem(uri)}>{name}</a>
              </th>
              {counted && (
                <td class="number">
                  {number(uses)} <meter class="uses" max={most} value={uses} aria-hidden="true" />
                </td>
              )}
              <td class="number">{approximately(loadTokens)}</td>
              <td class="number">{approximately(listTokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {skills.length > MAX_ROWS && <p class="note">… and {number(skills.length - MAX_ROWS)} more.</p>}
    </>
  );
}

interface FindingsProps {
  readonly findings: readonly PageFinding[];
  readonly more: number;
  readonly inspecting: boolean;
}

function Findings({ findings, inspecting, more }: FindingsProps) {
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      {findings.length === 0 && !inspecting && <p class="good">footbridge lint reports no problems.</p>}
      <ul class="findings">
        {findings.map(({ action, message, place, rule, severity }) => (
          <li key={`${place} ${rule} ${message}`}>
            <p>
              <span class={`badge ${severity}`}>{severity}</span> <code>{place}</code>
            </p>
            <p>
              {message} <span class="note">{action}</span>
            </p>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="note">… and {number(more)} more: run footbridge lint.</p>}
    </section>
  );
}

function Changes({ skills }: { readonly skills: readonly PageInsightSkill[] }) {
  const dated = skills.flatMap(({ changedAt, name, uri }) => (changedAt === undefined ? [] : [{ changedAt, name, uri }]));
  const latest = dated.sort((one, other) => (one.changedAt < other.changedAt ? 1 : -1)).slice(0, MAX_CHANGES);
  if (latest.length === 0) return null;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Latest changes</h2>
      <ul class="changes">
        {latest.map(({ changedAt, name, uri }) => (
          <li key={uri}>
            <a href={hashOfItem(uri)}>{name}</a>{' '}
            <time class="note" dateTime={changedAt}>
              {new Date(changedAt).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
            </time>
          </li>
        ))}
      </ul>
    </section>
  );
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function approximately(value: number | undefined): string {
  return value === undefined ? '–' : `≈\u00a0${number(value)}`;
}
