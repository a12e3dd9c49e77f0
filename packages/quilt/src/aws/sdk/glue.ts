/** Of the SDK's Glue, what is needed: loaded when Glue is first asked. */
export { GetDatabasesCommand, GlueClient } from '@aws-sdk/client-glue';
