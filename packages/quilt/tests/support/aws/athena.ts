/** Athena (JSON 1.1): workgroups, queries, catalogs, databases and tables. */

import { shownCatalog, shownDatabase, shownQuery, shownTable, shownWorkGroup, summarizedWorkGroup } from './athena-shapes.js';
import { denial, Refusal, refusal } from './errors.js';
import type { Operation } from './operations.js';
import { fieldOf, jsonReply, numberOf, type Outcome, pageOf, textOf } from './replies.js';
import type { Principal, QueryExecution, WorkGroup, World } from './world.js';

const AT_ONCE = 50;

export function answerAthena(operation: Operation, input: unknown, principal: Principal, world: World, pageSize: number): Outcome {
  const resource = (kind: string, name: string): string => `arn:aws:athena:us-east-1:${principal.account}:${kind}/${name}`;

  /** The requested page, in the operation's field. */
  function paged<Item>(field: string, all: readonly Item[], shown: (item: Item) => unknown): Outcome {
    const size = Math.min(numberOf(input, 'MaxResults') ?? AT_ONCE, AT_ONCE, pageSize);
    const { items, next } = pageOf(all, size, textOf(input, 'NextToken'), invalid('The pagination token is invalid.'));
    return jsonReply({ [field]: items.map(shown), ...(next === undefined ? {} : { NextToken: next }) });
  }

  /** The reason why a workgroup cannot be used, if any. */
  function obstacle({ name, denied = [], throttled, hangs }: WorkGroup, right: 'read' | 'history'): 'hang' | undefined {
    if (denied.includes(right)) throw denial('athena', operation, principal, resource('workgroup', name));
    if (throttled === true) throw refusal('athena', 'throttled');
    return hangs === true ? 'hang' : undefined;
  }

  function workGroup(): WorkGroup {
    const name = textOf(input, 'WorkGroup') ?? 'primary';
    const found = world.workGroups.find((one) => one.name === name);
    if (found === undefined) throw invalid(`WorkGroup ${name} is not found.`);
    return found;
  }

  function databases() {
    const name = textOf(input, 'CatalogName');
    const catalog = world.catalogs.find((one) => one.name === name);
    if (catalog === undefined) throw invalid(`Catalog ${name} was not found.`);
    return catalog.databases;
  }

  function batch(): Outcome {
    const asked = fieldOf(input, 'QueryExecutionIds');
    const ids: readonly unknown[] = Array.isArray(asked) ? asked : [];
    if (ids.length === 0 || ids.length > AT_ONCE) throw invalid(`QueryExecutionIds must have between 1 and ${AT_ONCE} members.`);
    const found = ids.flatMap((id) => world.queryExecutions.filter((one) => one.id === id && !isLeftUnprocessed(one)));
    for (const group of world.workGroups.filter(({ name }) => found.some((one) => one.workGroup === name))) {
      if (obstacle(group, 'history') === 'hang') return 'hang';
    }
    const missing = ids.filter((id) => !found.some((one) => one.id === id));
    return jsonReply({
      QueryExecutions: found.map(shownQuery),
      UnprocessedQueryExecutionIds: missing.map((id) => ({
        QueryExecutionId: id,
        ErrorCode: 'INVALID_QUERY_EXECUTION_ID',
        ErrorMessage: `QueryExecution ${id} was not found`,
      })),
    });
  }

  switch (operation) {
    case 'athena:ListWorkGroups':
      return paged('WorkGroups', world.workGroups, summarizedWorkGroup);
    case 'athena:GetWorkGroup': {
      const group = workGroup();
      return obstacle(group, 'read') ?? jsonReply({ WorkGroup: shownWorkGroup(group) });
    }
    case 'athena:ListQueryExecutions': {
      const group = workGroup();
      const own = world.queryExecutions.filter((one) => one.workGroup === group.name);
      const newestFirst = own.toSorted((a, b) => b.submitted.getTime() - a.submitted.getTime());
      return obstacle(group, 'history') ?? paged('QueryExecutionIds', newestFirst, ({ id }) => id);
    }
    case 'athena:BatchGetQueryExecution':
      return batch();
    case 'athena:ListDataCatalogs':
      return paged('DataCatalogsSummary', world.catalogs, shownCatalog);
    case 'athena:ListDatabases':
      return paged('DatabaseList', databases(), shownDatabase);
    case 'athena:ListTableMetadata': {
      const name = textOf(input, 'DatabaseName');
      const database = databases().find((one) => one.name === name);
      if (database === undefined) throw new Refusal('MetadataException', 400, `Database ${name} not found.`);
      if (database.denied === true) {
        throw denial('athena', operation, principal, resource('datacatalog', textOf(input, 'CatalogName') ?? ''));
      }
      return database.hangs === true ? 'hang' : paged('TableMetadataList', database.tables, shownTable);
    }
    default:
      throw refusal('athena', 'unknown operation');
  }
}

function isLeftUnprocessed(execution: QueryExecution): boolean {
  const { unprocessed = 0 } = execution;
  if (unprocessed > 0) execution.unprocessed = unprocessed - 1;
  return unprocessed > 0;
}

function invalid(message: string): Refusal {
  return new Refusal('InvalidRequestException', 400, message);
}
