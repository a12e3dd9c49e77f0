/** Converts test data to Athena's response shapes. */
import { epochSeconds } from './replies.js';
import type { Database, DataCatalog, QueryExecution, Table, WorkGroup } from './world.js';

const ENGINE = { SelectedEngineVersion: 'AUTO', EffectiveEngineVersion: 'Athena engine version 3' };

export function summarizedWorkGroup({ name, state, description, created }: WorkGroup): object {
  return { Name: name, State: state, Description: description, CreationTime: epochSeconds(created), EngineVersion: ENGINE };
}

export function shownWorkGroup({ name, state, description, created, outputLocation, enforced, bytesScannedCutoff }: WorkGroup): object {
  return {
    Name: name,
    State: state,
    Description: description,
    CreationTime: epochSeconds(created),
    Configuration: {
      ResultConfiguration: outputLocation === undefined ? {} : { OutputLocation: outputLocation },
      EnforceWorkGroupConfiguration: enforced,
      PublishCloudWatchMetricsEnabled: true,
      RequesterPaysEnabled: false,
      EngineVersion: ENGINE,
      ...(bytesScannedCutoff === undefined ? {} : { BytesScannedCutoffPerQuery: bytesScannedCutoff }),
    },
  };
}

export function shownQuery(execution: QueryExecution): object {
  const { id, query, workGroup, database, catalog, state, reason, submitted, completed, outputLocation } = execution;
  const { engineMilliseconds, bytesScanned } = execution;
  const statistics =
    engineMilliseconds === undefined
      ? {}
      : {
          EngineExecutionTimeInMillis: engineMilliseconds,
          DataScannedInBytes: bytesScanned ?? 0,
          TotalExecutionTimeInMillis: engineMilliseconds + 120,
          QueryQueueTimeInMillis: 80,
          ServiceProcessingTimeInMillis: 40,
        };
  return {
    QueryExecutionId: id,
    Query: query,
    StatementType: 'DML',
    SubstatementType: 'SELECT',
    ResultConfiguration: { OutputLocation: outputLocation },
    QueryExecutionContext: { Database: database, Catalog: catalog.toLowerCase() },
    Status: {
      State: state,
      SubmissionDateTime: epochSeconds(submitted),
      ...(completed === undefined ? {} : { CompletionDateTime: epochSeconds(completed) }),
      ...(reason === undefined ? {} : { StateChangeReason: reason }),
    },
    Statistics: statistics,
    WorkGroup: workGroup,
    EngineVersion: ENGINE,
  };
}

export function shownCatalog({ name, type }: DataCatalog): object {
  return { CatalogName: name, Type: type, Status: 'CREATE_COMPLETE' };
}

export function shownDatabase({ name, description }: Database): object {
  return { Name: name, ...(description === undefined ? {} : { Description: description }) };
}

export function shownTable({ name, created, columns }: Table): object {
  return {
    Name: name,
    CreateTime: epochSeconds(created),
    TableType: 'EXTERNAL_TABLE',
    Columns: columns.map((column) => ({ Name: column.name, Type: column.type })),
    PartitionKeys: [],
    Parameters: {},
  };
}
