/** Ranking, and how the index follows its catalog. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Catalog } from '../src/catalog/catalog.js';
import { nearest } from '../src/catalog/near.js';
import { nearestSkills, nearSkills } from '../src/catalog/near-skills.js';
import { SearchCache } from '../src/catalog/search/cache.js';
import { searchAll, searchResources, searchSkills } from '../src/catalog/search/index.js';
import { conceptsOf } from '../src/catalog/search/query.js';
import { scanSkills } from '../src/catalog/search/scan.js';
import { Terms } from '../src/catalog/search/terms.js';
import type { FootbridgeError } from '../src/errors.js';
import { keepFile, keepInTurns } from '../src/kept-file.js';
import { skillFolders } from '../src/sources/skills/index.js';
import type { Contribution, Skill, Source } from '../src/sources/source.js';
import { createWorld, type World } from './support/folders.js';
import { type CorpusRequest, fixtureRequests, fixtureSkills } from './support/search-corpus.js';

async function openCatalog(world: World, searchCache = new SearchCache()): Promise<Catalog> {
  const source = skillFolders({ folders: [world.project], standardFolders: false, watch: false });
  const catalog = await Catalog.open([source], { searchCache });
  onTestFinished(() => {
    catalog.close();
    searchCache.close();
  });
  return catalog;
}

async function names(catalog: Catalog, query: string): Promise<readonly string[]> {
  return (await searchSkills(catalog, query, { complete: true })).map(({ name }) => name);
}

/** A source without folders, with these skills. */
function memoryCatalog(skills: readonly Pick<Skill, 'name' | 'description'>[], opening?: Skill['opening']): Promise<Catalog> {
  return Catalog.open([
    {
      name: 'memory',
      open: async () => ({
        skills: skills.map((skill) => ({
          ...skill,
          group: [],
          location: 'global',
          origin: 'memory',
          identity: skill.name,
          version: '1',
          size: undefined,
          conforms: true,
          read: async () => undefined,
          list: async () => undefined,
          manifest: async () => undefined,
          ...(opening === undefined ? {} : { opening }),
        })),
      }),
    },
  ]);
}

describe('requests in everyday words', () => {
  const skills = fixtureSkills();

  async function share(requests: readonly CorpusRequest[]): Promise<number> {
    const world = createWorld();
    for (const { name, text } of skills) world.write(`project/${name}/SKILL.md`, text);
    const catalog = await openCatalog(world);
    let found = 0;
    for (const { request, skill } of requests) if ((await names(catalog, request)).slice(0, 5).includes(skill)) found++;
    return found / requests.length;
  }

  it('has a large corpus, with requests that do not contain the name', () => {
    const { first, second } = fixtureRequests();
    expect(skills.length).toBeGreaterThanOrEqual(250);
    expect(first.length + second.length).toBeGreaterThanOrEqual(150);
    const known = new Set(skills.map(({ name }) => name));
    for (const { request, skill } of [...first, ...second]) {
      expect(known).toContain(skill);
      expect(request.toLowerCase()).not.toContain(skill.replaceAll('-', ' '));
    }
  });

  it('finds the right skill among the first five for at least 80 % of the first half of the requests', async () => {
    const found = await share(fixtureRequests().first);
    console.info(`first half: ${(found * 100).toFixed(1)} %`);
    expect(found).toBeGreaterThanOrEqual(0.8);
  });

  it('finds the right skill among the first five for at least 80 % of the second half', async () => {
    const found = await share(fixtureRequests().second);
    console.info(`second half: ${(found * 100).toFixed(1)} %`);
    expect(found).toBeGreaterThanOrEqual(0.8);
  });
});

describe('matching', () => {
  it('finds words of the text and of headings, not only of name and description', async () => {
    const world = createWorld();
    world.skill('project/alpha', { description: 'One', body: '# Alpha\n\n## Rotating certificates\n\nRenew them with certbot.\n' });
    world.skill('project/beta', { description: 'Two' });
    const catalog = await openCatalog(world);
    expect(await names(catalog, 'certbot')).toEqual(['alpha']);
    expect(await names(catalog, 'certificate rotation')).toEqual(['alpha']);
  });

  it('finds a skill by its exact name first', async () => {
    const catalog = await memoryCatalog([
      { name: 'pdf-tools', description: 'pdf, pdf and pdf: everything about pdf' },
      { name: 'pdf', description: 'Documents' },
    ]);
    expect(await names(catalog, 'PDF')).toEqual(['pdf', 'pdf-tools']);
  });

  it('finds other forms of a word, abbreviations and compounds', async () => {
    const catalog = await memoryCatalog([
      { name: 'one', description: 'Migrating databases' },
      { name: 'two', description: 'Kubernetes clusters' },
      { name: 'three', description: 'Receives webhooks' },
      { name: 'four', description: 'Review pull requests' },
      { name: 'five', description: 'Written with useEffect' },
    ]);
    expect(await names(catalog, 'database migrations')).toEqual(['one']);
    expect(await names(catalog, 'k8s')).toEqual(['two']);
    expect(await names(catalog, 'web hook')).toEqual(['three']);
    expect(await names(catalog, 'my PR')).toEqual(['four']);
    expect(await names(catalog, 'effect')).toEqual(['five']);
  });

  it('counts what the text says often, but never as much as the same words in a description', async () => {
    const body = (text: string) => `# Guide\n\n${text}\n`;
    const world = createWorld();
    world.skill('project/often', {
      description: 'Alpha',
      body: body('Prune the hedgerow. A hedgerow, and the hedgerow again. '.repeat(40)),
    });
    world.skill('project/once', {
      description: 'Beta',
      body: body(`Mentions a hedgerow. ${'Other words fill the page here. '.repeat(40)}`),
    });
    world.skill('project/about', { description: 'Cares for a hedgerow', body: body('Cut it in winter.') });
    const catalog = await openCatalog(world);
    expect(await names(catalog, 'hedgerow')).toEqual(['about', 'often', 'once']);
  });

  it('ignores the grammar of other languages', async () => {
    const catalog = await memoryCatalog([
      { name: 'one', description: 'Un protocolo para los colores de la marca, con una paleta que no es de las que se ven en los otros' },
      { name: 'two', description: 'Search engine rankings' },
      { name: 'three', description: 'Kümmert sich um das, was die anderen nicht für dich machen können' },
    ]);
    expect(await names(catalog, 'por qué no aparece en los seo')).toEqual(['two']);
    expect(await names(catalog, 'können wir das nicht für seo')).toEqual(['two']);
    expect(await names(catalog, 'los colores')).toEqual(['one']);
  });

  it('ignores filler words', async () => {
    const catalog = await memoryCatalog([
      { name: 'one', description: 'What you want to do when you need help with how to use this' },
      { name: 'two', description: 'Invoices' },
    ]);
    expect(await names(catalog, 'could you please help me with how I do this invoice')).toEqual(['two']);
  });

  it('distinguishes tasks from languages and libraries of the same name', async () => {
    const catalog = await memoryCatalog([
      { name: 'one', description: 'Idiomatic Go services' },
      { name: 'two', description: 'React components' },
      { name: 'three', description: 'Explains a change' },
    ]);
    expect(await names(catalog, 'go through this change with me')).toEqual(['three']);
    expect(await names(catalog, 'should we react to this change?')).toEqual(['three']);
    expect((await names(catalog, 'a service in go'))[0]).toBe('one');
    expect((await names(catalog, 'react hooks'))[0]).toBe('two');
  });

  it('knows synonyms of one word or several', async () => {
    const catalog = await memoryCatalog([
      { name: 'one', description: 'Authentication of users' },
      { name: 'two', description: 'Cloud infrastructure on AWS' },
      { name: 'three', description: 'Stress and load tests' },
    ]);
    expect((await names(catalog, 'people cannot log in'))[0]).toBe('one');
    expect((await names(catalog, 'fargate'))[0]).toBe('two');
    expect((await names(catalog, 'it falls over on Mondays'))[0]).toBe('three');
  });

  it('considers the purpose of a product only if no skill is about the product', async () => {
    const skills = [
      { name: 'one', description: 'Terraform modules' },
      { name: 'two', description: 'Provisioning of infrastructure' },
    ];
    expect(await names(await memoryCatalog(skills), 'pulumi')).toEqual(['two']);
    expect(await names(await memoryCatalog(skills), 'terraform')).toEqual(['one']);
  });

  it('does not weaken a word because many texts mention it in passing', async () => {
    const world = createWorld();
    world.skill('project/fast', { description: 'Performance' });
    for (let index = 0; index < 20; index++) world.skill(`project/garden-${index}`, { description: 'Plants of gardens' });
    const body = `Mind the performance. ${'Many other words follow here. '.repeat(60)}`;
    for (let index = 0; index < 60; index++) world.skill(`project/other-${index}`, { description: 'Colours', body });
    const catalog = await openCatalog(world);
    expect((await names(catalog, 'performance of gardens'))[0]).toBe('fast');
  });

  it('finds irregular forms of a word', async () => {
    const catalog = await memoryCatalog([
      { name: 'one', description: 'Teach a class of beginners' },
      { name: 'two', description: 'Analysis of rivers' },
    ]);
    expect(await names(catalog, 'who taught them')).toEqual(['one']);
    expect(await names(catalog, 'analyse')).toEqual(['two']);
  });

  it('corrects only words that no skill contains', async () => {
    const catalog = await memoryCatalog([
      { name: 'one', description: 'Kubernetes clusters' },
      { name: 'two', description: 'Casting bronze' },
      { name: 'three', description: 'Testing bronze' },
    ]);
    expect(await names(catalog, 'kuberntes')).toEqual(['one']);
    expect(await names(catalog, 'kubenretes')).toEqual(['one']);
    expect(await names(catalog, 'casting')).toEqual(['two']);
    expect(await names(catalog, 'qwertyuiop')).toEqual([]);
  });

  it('completes prefixes of words that no skill contains', async () => {
    const catalog = await memoryCatalog([{ name: 'one', description: 'Spreadsheets' }]);
    expect(await names(catalog, 'spreadsh')).toEqual(['one']);
  });

  it('finds text in other languages and scripts', async () => {
    const catalog = await memoryCatalog([
      { name: 'rechnungen', description: 'Prüft Rechnungen und Lieferscheine für die Buchhaltung' },
      { name: 'contrats', description: 'Révise les contrats en français' },
      { name: 'ocr', description: '画像から文字を読み取り、請求書を作成します' },
      { name: 'fanyi', description: '把合同翻译成英文' },
      { name: 'pochta', description: 'Пишет письма клиентам' },
      { name: 'hangul', description: '회의록을 요약합니다' },
      { name: 'arabic', description: 'ترجمة العقود القانونية' },
    ]);
    const first = async (query: string) => (await names(catalog, query))[0];
    expect(await first('Lieferschein')).toBe('rechnungen');
    expect(await first('prufen Buchhaltung')).toBe('rechnungen');
    expect(await first('reviser un contrat')).toBe('contrats');
    expect(await first('請求書')).toBe('ocr');
    expect(await first('翻译合同')).toBe('fanyi');
    expect(await first('письма')).toBe('pochta');
    expect(await first('회의록')).toBe('hangul');
    expect(await first('العقود')).toBe('arabic');
  });

  it('ignores what a description excludes', async () => {
    const catalog = await memoryCatalog([
      { name: 'one', description: 'Edits Word files. Do not use for spreadsheets.' },
      { name: 'two', description: 'Edits spreadsheets.' },
    ]);
    expect(await names(catalog, 'spreadsheets')).toEqual(['two']);
  });

  it('returns a stable order, with equal skills in the order of the catalog', async () => {
    const equal = Array.from({ length: 30 }, (_, index) => ({ name: `same-${index}`, description: 'Equal in everything' }));
    const catalog = await memoryCatalog(equal);
    expect(await names(catalog, 'equal in everything')).toEqual(equal.map(({ name }) => name));
  });
});

describe('the index', () => {
  it('follows a catalog that changes, and reads only what changed', async () => {
    const world = createWorld();
    for (let index = 0; index < 50; index++) world.skill(`project/skill-${index}`, { body: `Text with marker${index}.` });
    const catalog = await openCatalog(world);
    expect(await names(catalog, 'marker7')).toEqual(['skill-7']);
    const reads: string[] = [];
    for (const skill of catalog.snapshot.skills) {
      const opening = skill.opening?.bind(skill);
      Object.defineProperty(skill, 'opening', {
        value: (bytes: number) => {
          reads.push(skill.name);
          return opening?.(bytes);
        },
      });
    }
    world.skill('project/skill-7', { body: 'Now about penguins and nothing else.' });
    world.skill('project/added', { body: 'About walruses.' });
    world.remove('project/skill-9');
    await catalog.refresh();
    expect(await names(catalog, 'penguins')).toEqual(['skill-7']);
    expect(await names(catalog, 'walrus')).toEqual(['added']);
    expect(await names(catalog, 'marker9')).not.toContain('skill-9');
    expect(await names(catalog, 'marker7')).not.toContain('skill-7');
    expect(reads).toEqual([]);
  });

  it('keeps answering through thousands of changes', async () => {
    const world = createWorld();
    world.skill('project/constant', { description: 'Perennial herbs' });
    const catalog = await openCatalog(world);
    for (let round = 0; round < 40; round++) {
      for (let index = 0; index < 60; index++)
        world.skill(`project/skill-${index}`, { description: `Round ${round}`, body: `word${round}x${index}` });
      await catalog.refresh();
      expect(await names(catalog, `word${round}x5`)).toEqual(['skill-5']);
    }
    expect(await names(catalog, 'perennial')).toEqual(['constant']);
  });

  it('is cached: the next start reads no text, and a damaged cache is ignored', async () => {
    const world = createWorld();
    for (let index = 0; index < 20; index++) world.skill(`project/skill-${index}`, { body: `Text with marker${index}.` });
    const cache = world.path('cache');
    const first = new SearchCache(cache, 'here');
    expect(await names(await openCatalog(world, first), 'marker7')).toEqual(['skill-7']);
    first.close();
    const [file = ''] = readdirSync(cache);
    expect(file).toMatch(/^search-/);

    const again = await openCatalog(world, new SearchCache(cache, 'here'));
    for (const skill of again.snapshot.skills) Object.defineProperty(skill, 'opening', { value: () => Promise.reject(new Error('read')) });
    expect(await names(again, 'marker7')).toEqual(['skill-7']);

    world.write(`cache/${file}`, 'not a cache at all, but as long as a few numbers');
    expect(await names(await openCatalog(world, new SearchCache(cache, 'here')), 'marker7')).toEqual(['skill-7']);
    // It is written again.
    await expect.poll(() => readFileSync(join(cache, file), 'latin1')).not.toContain('not a cache');
  });

  it('is written atomically by concurrent processes', async () => {
    const folder = createWorld().path('cache');
    const pieces = (value: number) => Array.from({ length: 50 }, () => Buffer.alloc(1000, value));
    const slow = keepInTurns(folder, 'search-', 'file', pieces(1));
    keepFile(folder, 'search-', 'file', pieces(2));
    await Promise.all([slow, keepInTurns(folder, 'search-', 'file', pieces(3))]);
    expect(readdirSync(folder)).toEqual(['search-file']);
    expect(new Set(readFileSync(join(folder, 'search-file'))).size).toBe(1);
  });

  it('answers at once from names and descriptions, and does not block while it reads', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({
      name: `skill-${index}`,
      description: `Handles the matter ${index} of penguins`,
    }));
    const text = Buffer.from(`# Text\n\n${'Some words about walruses and other animals of the sea. '.repeat(70)}`);
    const catalog = await memoryCatalog(many, async () => text);
    let isAnother = false;
    setImmediate().then(() => {
      isAnother = true;
    });
    const first = await searchSkills(catalog, 'penguins');
    expect(first.length).toBeGreaterThan(0);
    // Another call, answered before the first search has loaded and looked through everything.
    expect(isAnother).toBe(true);
    let turns = 0;
    let isDone = false;
    const whole = names(catalog, 'walruses').then((found) => {
      isDone = true;
      return found;
    });
    while (!isDone) {
      await setImmediate();
      turns++;
    }
    // Each turn is another call that could have been answered.
    expect(turns).toBeGreaterThan(20);
    expect((await whole).length).toBeGreaterThan(0);
    catalog.close();
  });

  it('is not required: names and descriptions alone give a similar ranking', async () => {
    const { snapshot } = await memoryCatalog([
      { name: 'city-guide', description: 'Travel' },
      { name: 'one', description: 'Authentication of users' },
      { name: 'two', description: 'Continuous integration: pipelines and builds' },
      { name: 'ocr', description: '画像から文字を読み取り、請求書を作成します' },
    ]);
    const first = async (query: string) => (await scanSkills(snapshot.skills, query, Number.POSITIVE_INFINITY))[0]?.name;
    expect(await first('people cannot log in')).toBe('one');
    expect(await first('the ci is red')).toBe('two');
    expect(await first('請求書')).toBe('ocr');
    expect(await scanSkills(snapshot.skills, 'qwertyuiop', Number.POSITIVE_INFINITY)).toEqual([]);
  });

  it('never reads from a source without fast access to text', async () => {
    const catalog = await memoryCatalog([{ name: 'one', description: 'Penguins' }]);
    expect(await names(catalog, 'penguin')).toEqual(['one']);
  });
});

describe('hostile queries', () => {
  const many = Array.from({ length: 2000 }, (_, index) => ({
    name: `skill-${index}`,
    description: `Word${index} and other${index % 7} things`,
  }));

  it.each([
    ['long words', Array.from({ length: 16 }, (_, index) => `${'abcdefghij'.repeat(3)}${index}`).join(' ')],
    ['thousands of words', 'alpha beta gamma delta '.repeat(5000)],
    ['one endless word', 'a'.repeat(100_000)],
    ['repeated separators', '-._/'.repeat(20_000)],
    ['combining marks', `e${'\u0301'.repeat(50_000)}`],
    ['unpaired surrogates', '\ud800'.repeat(10_000)],
    ['ideographs', '漢'.repeat(50_000)],
    ['typos only', Array.from({ length: 32 }, (_, index) => `Wrod${index}x othre${index}`).join(' ')],
  ])('return results: %s', async (_title, query) => {
    const catalog = await memoryCatalog(many);
    expect((await names(catalog, query)).length).toBeLessThanOrEqual(200);
  });

  it('a dictionary full of invented words stays within the limit, and is searched', () => {
    const terms = new Terms();
    let last = 0;
    for (let index = 0; last !== -1 && index < 2_000_000; index++) last = terms.addStem(`invented${index.toString(36)}`);
    expect(last).toBe(-1);
    expect(terms.add('penguins')).toBe(-1);
    expect(terms.find('invented0')).toBe(0);
    expect(conceptsOf('invented0 qwertz asdfgh yxcvbn poiuzt lkjhgf mnbvcx wsxedc', terms, () => 1)).toHaveLength(1);
  });

  it('hostile descriptions are indexed', async () => {
    const texts = ['not '.repeat(20_000), 'do not use '.repeat(10_000), '. '.repeat(50_000), 'aA'.repeat(50_000), "x'".repeat(50_000)];
    const catalog = await memoryCatalog(texts.map((description, index) => ({ name: `hostile-${index}`, description })));
    expect(await names(catalog, 'hostile 3')).toContain('hostile-3');
  });
});

describe('near matches', () => {
  it('lists the nearest name first', () => {
    const bulk = Array.from({ length: 2000 }, (_, index) => `bulk-${index}`);
    expect(nearest('bulk-19999', bulk)[0]).toBe('bulk-1999');
    expect(nearest('pdff', ['docx', 'pdf', 'pdf-forms'])).toEqual(['pdf']);
    expect(nearest('nothing-like-it', ['pdf'])).toEqual([]);
  });

  it('are found by search if no name is similar', async () => {
    const catalog = await memoryCatalog([
      { name: 'docx', description: 'Edits Word documents' },
      { name: 'receipts', description: 'Collects invoices and receipts for the accountant' },
      { name: 'skill-author', description: 'Writes a skill' },
    ]);
    const near = async (wanted: string) => (await nearSkills(catalog, wanted)).map(({ name }) => name);
    expect(await near('invoice-processing-helper')).toEqual(['receipts']);
    expect(await near('recepits')).toEqual(['receipts']);
    expect(await near('no-such-skill')).toEqual([]);
    const { suggestedActions } = await catalog.read('skill://invoice-processing-helper/SKILL.md').then(
      () => ({ suggestedActions: [] }),
      (error: FootbridgeError) => error,
    );
    expect(suggestedActions[0]).toBe("Did you mean 'skill://receipts/SKILL.md'?");
  });

  it('finds the nearest of 10,000 names', async () => {
    const catalog = await memoryCatalog(
      Array.from({ length: 10_000 }, (_, index) => ({ name: `handle-matter-${index}`, description: '' })),
    );
    expect(nearestSkills(catalog.snapshot, 'handle-mater-4711')[0]?.name).toBe('handle-matter-4711');
  });
});

describe('resources', () => {
  const entries = [
    { uri: 'db://schema/all', name: 'Tables', description: 'The columns of every table in the warehouse' },
    { uri: 'hr://holidays', name: 'Holidays', description: 'Public holidays and days off of the company' },
    { uri: 'sales://2026/q3', name: 'Third quarter', description: 'Revenue by region' },
  ];
  const sourceOf = (resources: readonly { uri: string; name: string; description: string }[]): Source => ({
    name: 'company',
    open: async () => ({
      resources: resources.map((entry) => ({ entry, category: 'company', requiresAdmin: false, read: async () => ({ contents: [] }) })),
    }),
  });
  const uris = async (catalog: Catalog, query: string) => (await searchResources(catalog, query, { complete: true })).map(({ uri }) => uri);

  it('are found by their names, descriptions and URIs', async () => {
    const catalog = await Catalog.open([sourceOf(entries)]);
    expect((await uris(catalog, 'when does the company close for holidays'))[0]).toBe('hr://holidays');
    expect((await uris(catalog, 'warehouse columns'))[0]).toBe('db://schema/all');
    expect((await uris(catalog, 'sales 2026'))[0]).toBe('sales://2026/q3');
  });

  it('are ranked together with skills, and neither crowds the other out of its own search', async () => {
    const world = createWorld();
    world.skill('project/planning', { description: 'Plan holidays of a team' });
    const many = Array.from({ length: 300 }, (_, at) => ({ uri: `hr://holidays/${at}`, name: `Holidays ${at}`, description: 'Holidays' }));
    const folders = skillFolders({ folders: [world.project], standardFolders: false, watch: false });
    const catalog = await Catalog.open([folders, sourceOf([...many, ...entries])]);
    onTestFinished(() => catalog.close());
    expect(await names(catalog, 'holidays')).toEqual(['planning']);
    const all = await searchAll(catalog, 'plan holidays of a team', { complete: true });
    expect(all[0]?.name).toBe('planning');
    expect((await searchAll(catalog, 'holidays', { complete: true })).length).toBeGreaterThan(100);
  });

  it('are followed when they change', async () => {
    let change: (next: Contribution) => void = () => {};
    const source: Source = {
      name: 'company',
      async open(changed) {
        change = changed;
        return (
          (await sourceOf(entries).open(
            () => {},
            () => {},
          )) ?? {}
        );
      },
    };
    const catalog = await Catalog.open([source]);
    expect(await uris(catalog, 'penguins')).toEqual([]);
    const next = [{ uri: 'zoo://penguins', name: 'Penguins', description: 'Birds' }];
    change(
      await sourceOf(next).open(
        () => {},
        () => {},
      ),
    );
    expect(await uris(catalog, 'penguins')).toEqual(['zoo://penguins']);
    expect(await uris(catalog, 'holidays')).toEqual([]);
  });

  it('are suggested by the words of an unknown URI where none is spelled like it', async () => {
    const catalog = await Catalog.open([sourceOf(entries)]);
    const failure = await catalog.read('config://warehouse/table/columns').catch((error: FootbridgeError) => error);
    expect(failure).toMatchObject({ code: 'InvalidURI', suggestedActions: expect.arrayContaining(["Did you mean 'db://schema/all'?"]) });
  });

  it('are suggested among more than are compared', async () => {
    const many = Array.from({ length: 6000 }, (_, at) => ({ uri: `item://${at}/report`, name: `Item ${at}`, description: '' }));
    const catalog = await Catalog.open([sourceOf([...many, { uri: 'item://north/turnover', name: 'Turnover', description: '' }])]);
    await uris(catalog, 'turnover');
    const failure = await catalog.read('item://north/turnovr').catch((error: FootbridgeError) => error);
    expect(failure).toMatchObject({ suggestedActions: expect.arrayContaining([expect.stringContaining('item://north/turnover')]) });
  });
});
