/** A message whose POST has no answer. It is sent again if the login was renewed for it. */
import { discard, type HttpClient, type HttpRequest } from './http-client.js';
import { type HttpFailure, statusFailure } from './http-failure.js';
import { challengeOf, type HttpChallenge, type LoginHeader } from './http-headers.js';

/** With the current token, with one from the store, and with its replacement. */
export const MAX_REFUSALS = 3;

export type Sent = (failure?: HttpFailure, challenge?: HttpChallenge) => void;

export function postMessage(client: HttpClient, request: Omit<HttpRequest, 'method'>, sent: Sent): void {
  client.send(
    { ...request, method: 'POST' },
    {
      answered: (response) => {
        discard(response);
        const { statusCode: status = 0 } = response;
        if (status < 300) sent();
        else sent(statusFailure(client.host, response), challengeOf(response));
      },
      failed: (failure) => sent(failure),
    },
  );
}

/** `done` receives the failure, if any. */
export function postAuthorized(login: LoginHeader | undefined, send: (sent: Sent) => void, done: (failure?: HttpFailure) => void): void {
  let refusals = 0;
  const attempt = () => {
    const header = login?.header;
    send((failure, challenge) => {
      if (login === undefined || challenge === undefined) return done(failure);
      const isFirst = refusals++ === 0;
      const isUnauthorized = challenge.status === 401;
      if ((isUnauthorized && !isFirst && login.isOwn(header)) || refusals >= MAX_REFUSALS) {
        if (isUnauthorized) login.refused(challenge);
        return done(failure);
      }
      void login.challenged(challenge, header).then((again) => (again ? attempt() : done(failure)));
    });
  };
  if (login?.isReady === false) void login.prepare().then(attempt);
  else attempt();
}
