/** The used parts of the SDK for Glue, loaded on first use. */
export { GetDatabasesCommand, GlueClient } from '@aws-sdk/client-glue';
