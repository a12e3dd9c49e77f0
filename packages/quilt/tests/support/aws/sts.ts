/** STS (query protocol): the caller identity. */
import { type Outcome, xmlReply } from './replies.js';
import type { Principal } from './world.js';

export function answerSts({ arn, userId, account }: Principal): Outcome {
  const identity = `<Arn>${arn}</Arn><UserId>${userId}</UserId><Account>${account}</Account>`;
  const metadata = `<ResponseMetadata><RequestId>${crypto.randomUUID()}</RequestId></ResponseMetadata>`;
  const result = `<GetCallerIdentityResult>${identity}</GetCallerIdentityResult>${metadata}`;
  return xmlReply(`<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</GetCallerIdentityResponse>`);
}
