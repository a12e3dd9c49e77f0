/** Glue (JSON 1.1): the databases of the default catalog. */
import { Refusal } from './errors.js';
import { epochSeconds, jsonReply, numberOf, type Outcome, pageOf, textOf } from './replies.js';
import { type Database, GLUE_CATALOG, type World } from './world.js';

const AT_ONCE = 100;

export function answerGlue(input: unknown, account: string, world: World, pageSize: number): Outcome {
  const all = world.catalogs.find(({ name }) => name === GLUE_CATALOG)?.databases ?? [];
  const size = Math.min(numberOf(input, 'MaxResults') ?? AT_ONCE, AT_ONCE, pageSize);
  const badToken = new Refusal('InvalidInputException', 400, 'The pagination token is invalid.');
  const { items, next } = pageOf(all, size, textOf(input, 'NextToken'), badToken);
  const shown = ({ name, description, location, created }: Database): object => ({
    Name: name,
    ...(description === undefined ? {} : { Description: description }),
    ...(location === undefined ? {} : { LocationUri: location }),
    CreateTime: epochSeconds(created),
    CatalogId: account,
  });
  return jsonReply({ DatabaseList: items.map(shown), ...(next === undefined ? {} : { NextToken: next }) });
}
