/** The used parts of the SDK for Athena, loaded on first use. */
export {
  AthenaClient,
  BatchGetQueryExecutionCommand,
  GetWorkGroupCommand,
  ListDatabasesCommand,
  ListQueryExecutionsCommand,
  ListTableMetadataCommand,
  ListWorkGroupsCommand,
} from '@aws-sdk/client-athena';
