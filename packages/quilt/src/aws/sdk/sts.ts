/** The used parts of the SDK for STS, loaded on first use. */
export { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
