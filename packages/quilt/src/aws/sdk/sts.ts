/** Of the SDK's STS, what is needed: loaded when STS is first asked. */
export { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
