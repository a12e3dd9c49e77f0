/** The content of the catalog page in tests: skills of every kind, resources, a template, and admin resources. */
import { defineResource } from '../../src/sources/define/definition.js';
import { defineResources } from '../../src/sources/define/index.js';
import { SKILL_FILE, type Skill, type Source } from '../../src/sources/source.js';
import { createWorld, type World } from './folders.js';

/** The smallest picture there is. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const RELEASE_NOTES = `# Release notes

Release notes answer one question: *what is different for me when I upgrade?*

![How it goes](assets/flow.png)

## Steps

1. **Find the range.** Usually it is the last tag to \`HEAD\`.
2. **Write each entry** by the rules in [references/entries.md](references/entries.md).
3. See [the steps](#steps), [Git](skill://git/SKILL.md), or [the web](https://example.org/a?b=1&amp;c=2).

| Group | Comes |
|---|---:|
| Breaking | first |
| New | then |

\`\`\`sh
sh scripts/collect-changes.sh v1.4.0 HEAD
\`\`\`

> A commit log does not answer it. You do.

- [x] every entry is true of the code
- [ ] every entry has a link
`;

export function createPageWorld(): World {
  const world = createWorld();
  const folder = 'project/.agents/skills';
  world.skill(`${folder}/release-notes`, {
    description: 'Write release notes that users want to read, from a range of git commits. Use when asked for a changelog.',
    body: RELEASE_NOTES,
  });
  world.write(`${folder}/release-notes/references/entries.md`, '# Entries\n\nOne line each. Back to [the skill](../SKILL.md).\n');
  world.write(`${folder}/release-notes/assets/flow.png`, PIXEL);
  world.write(`${folder}/release-notes/assets/Übersicht 1.csv`, 'a,b\n1,2\n');
  world.skill(`${folder}/git`, { description: 'Commit, branch and rebase without losing work.' });
  world.skill(`${folder}/sql-review`, { description: 'Review a database migration for locks and lost data.' });
  world.skill('home/.agents/skills/Office Letters', {
    description: 'Letters with a letterhead. Breaks a rule of the standard with its name.',
  });
  return world;
}

export function pageResources(): Source {
  return defineResources([
    defineResource({
      uri: 'docs://handbook',
      name: 'handbook',
      title: 'Team handbook',
      description: 'How we work, in one page.',
      mimeType: 'text/markdown',
      category: 'documents',
      read: () => '# Handbook\n\nBe kind. Write tests.\n',
    }),
    defineResource({
      uri: 'docs://limits',
      name: 'limits',
      title: 'Service limits',
      description: 'How much of everything there is.',
      category: 'documents',
      read: () => ({ requests: 600, burst: 100 }),
    }),
    defineResource({
      uri: 'docs://articles/{id}{?language}',
      name: 'article',
      title: 'An article',
      description: 'Any article by its number.',
      category: 'documents',
      variables: { id: { examples: ['42', '43'] } },
      read: ({ id, language }) => ({ id, language: language ?? 'en', title: `Article ${id}` }),
    }),
    defineResource({
      uri: 'audit://log',
      name: 'audit',
      title: 'Audit log',
      description: 'Who did what.',
      category: 'admin',
      requiresAdmin: true,
      read: () => 'nothing yet',
    }),
  ]);
}

/** A source with many skills, in memory. */
export function manySkills(count: number): Source {
  const skills = Array.from({ length: count }, (_, number): Skill => {
    const name = `skill-${number}`;
    const bytes = Buffer.from(`# ${name}\n\nInstructions of ${name}.\n`);
    return {
      name,
      description: `What ${name} is for, and when to use it, in as many words as people write`,
      group: [`area-${number % 20}`],
      location: 'global',
      origin: 'memory',
      identity: name,
      version: '1',
      size: bytes.length,
      conforms: true,
      read: async (path) => (path === SKILL_FILE ? { bytes, mimeType: 'text/markdown' } : undefined),
      list: async (folder) => (folder === '' ? [{ path: SKILL_FILE, kind: 'file', size: bytes.length }] : undefined),
      manifest: async () => undefined,
    };
  });
  return { name: 'memory', open: async () => ({ skills, notices: [] }), refresh: async () => {}, close() {} };
}
