/** Far more skills than a call can take arguments. */
import { expect, it } from 'vitest';
import { FolderSkill, type Parent } from '../src/sources/skills/folder-skill.js';
import { SkillRows } from '../src/sources/skills/rows.js';
import { type Group, gather, type Node } from '../src/sources/skills/tree.js';
import type { Notice } from '../src/sources/source.js';

const GROUPS = 300;
const EACH = 500;
const NOTICE: Notice = { severity: 'error', rule: 'folder-name', file: '/skills', message: 'Wrong.', action: 'Mend it.' };

function group(parent: Parent, children: readonly (readonly [string, Node])[], notices: readonly Notice[] = []): Group {
  const names = children.map(([name]) => name);
  return { kind: 'group', parent, names, nodes: children.map(([, node]) => node), links: new Set(), notices };
}

it('collects 150,000 skills, folders and notices, shallow ones first', () => {
  const root = { path: '/skills', label: '/skills', location: 'global', named: true } as const;
  const top: Parent = { root, path: '/skills', real: '/skills', group: [] };
  const rows = new SkillRows();
  const row = rows.add({ size: 1, modified: 1, changed: 1, inode: 1, device: 1 }, true, 'Text.');
  const skill = (parent: Parent, name: string) => new FolderSkill(name, parent, name, rows, row);
  const groups = Array.from({ length: GROUPS }, (_, at) => {
    const parent: Parent = { root, path: `/skills/g${at}`, real: `/skills/g${at}`, group: [`g${at}`] };
    const children = Array.from({ length: EACH }, (_each, index) => [`s${index}`, skill(parent, `s${index}`)] as const);
    return [`g${at}`, group(parent, children)] as const;
  });
  const notices = Array.from({ length: GROUPS * EACH }, () => NOTICE);
  const tree = group(top, [...groups, ['last', skill(top, 'last')]], notices);
  const gathered = gather([tree]);
  expect(gathered.skills.map(({ name }) => name).slice(0, 3)).toEqual(['last', 's0', 's1']);
  expect(gathered.skills).toHaveLength(GROUPS * EACH + 1);
  expect(gathered.notices).toHaveLength(GROUPS * EACH);
});
