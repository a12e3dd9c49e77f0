/** `find_tools` over the tools of 37 servers from npm, with requests in people's own words. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Catalog } from '../src/catalog/catalog.js';
import { searchTools } from '../src/catalog/search/tool-search.js';
import type { Json } from './support/client.js';
import { contributionOf, FakeUpstream, sourceOf } from './support/fake-upstream.js';

const FOLDER = join(import.meta.dirname, 'fixtures', 'tools');
const linesOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8').trim().split('\n');

/** Each with its tools, as it listed them. */
function servers(file: string): readonly FakeUpstream[] {
  const tools = new Map<string, Json[]>();
  let current: Json[] = [];
  for (const line of linesOf(file)) {
    const { server, parameters, ...entry } = JSON.parse(line);
    if (server !== undefined) {
      current = [];
      tools.set(server, current);
    } else {
      const properties = Object.fromEntries(Object.entries(parameters).map(([name, description]) => [name, { description }]));
      current.push({ ...entry, inputSchema: { type: 'object', properties } });
    }
  }
  return [...tools].map(([name, own]) => new FakeUpstream(name, { prefix: name, tools: own }));
}

let catalog: Catalog;
let unseen: Catalog;
let others: Catalog;

beforeAll(async () => {
  catalog = await openTools('tools.jsonl');
  unseen = await openTools('unseen-tools.jsonl');
  others = await openTools('other-tools.jsonl');
  return () => {
    catalog.close();
    unseen.close();
    others.close();
  };
});

async function openTools(file: string): Promise<Catalog> {
  const opened = await Catalog.open([sourceOf(contributionOf(servers(file))).source]);
  while (!(await searchTools(opened, 'ready')).isComplete);
  return opened;
}

/** The part of requests with a right tool among the first five. */
async function found(requests: readonly string[], among = catalog): Promise<number> {
  let hits = 0;
  for (const line of requests) {
    const [request = '', fitting = ''] = line.split(' | ');
    const names = fitting.split(';').map((name) => name.replace('/', '__'));
    expect(
      names.filter((name) => among.snapshot.findTool(name) === undefined),
      line,
    ).toEqual([]);
    const { tools } = await searchTools(among, request);
    if (tools.slice(0, 5).some(({ entry }) => names.includes(entry.name))) hits++;
  }
  return hits / requests.length;
}

describe('the right tool is among the first five', () => {
  it('for at least 85 % of the tuning requests', async () => {
    const requests = linesOf('requests.txt');
    expect(requests.length).toBeGreaterThanOrEqual(150);
    expect(await found(requests)).toBeGreaterThanOrEqual(0.85);
  });

  it('for about as many of the held-out requests', async () => {
    expect(await found(linesOf('requests.txt').filter((_, at) => at % 2 === 1))).toBeGreaterThanOrEqual(0.8);
  });

  it('for the requests written for tuning', async () => {
    expect(await found(linesOf('further-requests.txt'))).toBeGreaterThanOrEqual(0.85);
  });

  it('for as many requests to servers that the vocabulary does not cover', async () => {
    const requests = linesOf('unseen-requests.txt');
    expect(requests.length).toBeGreaterThanOrEqual(100);
    expect(await found(requests, unseen)).toBeGreaterThanOrEqual(0.85);
    expect(
      await found(
        requests.filter((_, at) => at % 2 === 1),
        unseen,
      ),
    ).toBeGreaterThanOrEqual(0.85);
  });
});

it('finds a right tool for most requests that share no word with it', async () => {
  const requests = linesOf('other-requests.txt');
  expect(requests.length).toBeGreaterThanOrEqual(100);
  expect(await found(requests, others)).toBeGreaterThanOrEqual(0.85);
});

describe('where a tool alone does not say what it is for', () => {
  const described = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object', properties: {} } });
  const open = async (...fakes: readonly FakeUpstream[]) => {
    const opened = await Catalog.open([sourceOf(contributionOf(fakes)).source]);
    while (!(await searchTools(opened, 'ready')).isComplete);
    return { opened, names: async (query: string) => (await searchTools(opened, query)).tools.map(({ entry }) => entry.name) };
  };
  const other = new FakeUpstream('other', {
    prefix: 'other',
    tools: [described('get_report', 'Get a report.'), described('move_item', 'Move an item.')],
  });

  it('finds tools by what their server says about itself', async () => {
    const tools = [described('add_entry', 'Add an entry.'), described('list_entries', 'List entries.')];
    const { opened, names } = await open(new FakeUpstream('one', { prefix: 'one', tools, purpose: 'Keeps track of beehives' }), other);
    expect((await names('anything about beehives')).slice(0, 2).toSorted()).toEqual(['one__add_entry', 'one__list_entries']);
    opened.close();
  });

  it('prefers a tool whose siblings are about the request', async () => {
    const image = [
      described('rotate', 'Turn it by degrees.'),
      described('image_info', 'Describe it.'),
      described('resize_image', 'Scale it.'),
    ];
    const page = [
      described('rotate', 'Turn it by degrees.'),
      described('page_info', 'Describe it.'),
      described('split_pages', 'Split it.'),
    ];
    const { opened, names } = await open(
      new FakeUpstream('b', { prefix: 'b', tools: page }),
      new FakeUpstream('a', { prefix: 'a', tools: image }),
    );
    expect((await names('rotate the image')).filter((name) => name.endsWith('rotate'))).toEqual(['a__rotate', 'b__rotate']);
    opened.close();
  });

  it('does not take an ending of a file for the beginning of a word', async () => {
    const convert = new FakeUpstream('video', {
      prefix: 'video',
      tools: [described('convert_video', 'Convert a video to another format.')],
    });
    const { opened, names } = await open(other, convert);
    expect((await names('make a mov of it'))[0]).toBe('video__convert_video');
    opened.close();
  });

  it('finds tools for words that mean nothing elsewhere', async () => {
    const game = [described('undo', 'Take back the last step.'), described('on', 'Power the thing.'), described('off', 'Cut the power.')];
    const { opened, names } = await open(new FakeUpstream('one', { prefix: 'one', tools: game }), other);
    expect((await names('it should be off'))[0]).toBe('one__off');
    opened.close();
  });

  it('ranks tools that only do what is asked below those that are about it', async () => {
    const list = Array.from({ length: 20 }, (_, at) => described(`list_${'abcdefghijklmnopqrst'[at]}`, 'List them.'));
    const { opened, names } = await open(
      new FakeUpstream('one', { prefix: 'one', tools: list }),
      new FakeUpstream('two', { prefix: 'two', tools: [described('open_beehive', 'Look into one.')] }),
    );
    expect((await names('list every beehive'))[0]).toBe('two__open_beehive');
    opened.close();
  });
});

describe('what a request means by more than its words', () => {
  const described = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object', properties: {} } });
  const tools = [
    described('users_get_current', 'Get the current user.'),
    described('users_update', 'Update a user.'),
    described('find_dsns', 'List the DSNs of a project.'),
    described('create_dsn_filter', 'Create a filter.'),
    described('revoke_member', "Revoke a member's access."),
    described('get_member', 'Retrieve a member and what access they have.'),
    described('update_domain', 'Update the owner of a domain.'),
    described('domain', 'Name servers, registrar, expiry and the owner of a domain.'),
    described('leave_types', 'Leave types of employees.'),
    described('add_note', 'Add a note to a ticket.'),
    described('report_of_the_week', 'What was sold in a week.'),
    described('search_crashes', 'Search crashes.'),
    described('delete_crash', 'Delete a crash.'),
  ];

  it.each([
    ['who am I', 'users_get_current'],
    ['which dsn does the project have', 'find_dsns'],
    ['take her access away', 'revoke_member'],
    ['does the domain have an owner', 'domain'],
    ['leave a remark', 'add_note'],
    ['crashes of the week', 'search_crashes'],
  ])('finds for "%s" the tool %s first', async (request, name) => {
    const opened = await Catalog.open([sourceOf(contributionOf([new FakeUpstream('work', { tools })])).source]);
    while (!(await searchTools(opened, 'ready')).isComplete);
    const found = await searchTools(opened, request);
    opened.close();
    expect(found.tools[0]?.entry.name).toBe(name);
  });
});
