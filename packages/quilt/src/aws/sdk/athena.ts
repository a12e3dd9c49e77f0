/** Of the SDK's Athena, what is needed: loaded when Athena is first asked. */
export {
  AthenaClient,
  BatchGetQueryExecutionCommand,
  GetWorkGroupCommand,
  ListDatabasesCommand,
  ListQueryExecutionsCommand,
  ListTableMetadataCommand,
  ListWorkGroupsCommand,
} from '@aws-sdk/client-athena';
