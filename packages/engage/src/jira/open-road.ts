/** A secret is not to be sent over a network in clear. */
import { Failure } from '../failure.js';

export function openRoad(): Failure {
  return new Failure(
    'validation_error',
    'The token would be sent over an unencrypted connection.',
    'Whoever runs this server has to put it behind https and set http.publicUrl in footbridge.json.',
  );
}
