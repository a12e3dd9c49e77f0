/** What the model of a host sees of the skills. */
import type { Snapshot } from '../../catalog/snapshot.js';
import { qualifiedName } from '../../sources/skill-uri.js';
import { catalogueOf } from '../../surfaces/catalogue/index.js';
import { nativeSkills } from '../../surfaces/hosts/native.js';
import { UNLIMITED } from '../../surfaces/hosts/profile.js';
import type { HostView, HostViews } from '../../surfaces/hosts/view.js';
import { findConfig } from '../config/index.js';
import { additionText, clientNameOf, type ModelView, modelView } from '../host-reach.js';
import { hostViews } from '../host-views.js';
import type { McpHost, Startable } from '../hosts/index.js';
import type { Io } from '../io.js';
import { tokens } from '../terminal.js';
import type { StartOutcome } from './start.js';

/** What is served in this folder, and how it is shown. */
export interface LocalContent {
  readonly snapshot: Snapshot;
  readonly hosts: HostViews;
  readonly io: Io;
}

/** How an entry shows its skills to a host: by its own options, if it has any. */
export async function viewOfEntry(server: Startable, clientName: string | undefined, { hosts, io }: LocalContent): Promise<HostView> {
  if (server.kind === 'url') return hosts.of(clientName, false);
  const [file, hostProfile] = [optionIn(server.args, '--config'), optionIn(server.args, '--host-profile')];
  if (file === undefined && hostProfile === undefined) return hosts.of(clientName, true);
  const place = io.with({ cwd: server.cwd ?? io.cwd });
  try {
    return hostViews(await findConfig(file, place), { ...(hostProfile === undefined ? {} : { hostProfile }) }, place).hosts.of(
      clientName,
      true,
    );
  } catch {
    // The entry itself reports what is wrong with its options.
    return hosts.of(clientName, true);
  }
}

/** The value of an option, in either form. */
function optionIn(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((word) => word === name || word.startsWith(`${name}=`) || word === '--');
  const word = args[at] ?? '--';
  if (word === '--') return undefined;
  return word === name ? args[at + 1] : word.slice(name.length + 1);
}

/** What an entry shows. Skills that the host reads itself are not missing from it. */
export function modelOf(
  { skillTool, skills }: Extract<StartOutcome, { ok: true }>,
  clientName: string | undefined,
  view: HostView,
  { snapshot }: LocalContent,
): ModelView | undefined {
  if (skillTool === undefined) return undefined;
  // What an unmeasured host cuts is unknown.
  const profile = clientName === undefined ? UNLIMITED : view.profile;
  const native = new Set([...nativeSkills(snapshot, view).keys()].map((skill) => qualifiedName(skill)));
  return modelView(
    profile,
    skillTool,
    skills.filter((skill) => !native.has(skill.qualifiedName)),
  );
}

export interface HostReach {
  /** Where its profile comes from: `measured with VERSION`, `configured` or `not measured`. */
  readonly profile: string;
  /** What Footbridge adds to the skills that the host reads itself. */
  readonly addition?: string | undefined;
  /** What its model would see of the skills of this folder; absent for a host that was not measured. */
  readonly expected?: ModelView;
}

export function reachOf({ id }: McpHost, servers: number, { hosts, io, snapshot }: LocalContent): HostReach {
  const clientName = clientNameOf(id);
  if (clientName === undefined) return { profile: 'not measured' };
  const view = hosts.of(clientName, true);
  const { measured } = view.profile;
  const { described, description, named, parameter, total } = catalogueOf(snapshot, view);
  return {
    profile: measured === undefined ? 'configured' : `measured with ${measured.version}`,
    addition: additionText(view, snapshot, servers, io),
    expected: { skills: total, named, described, tokens: tokens(`${description}\n${parameter}`) },
  };
}
