/** Why a server could not be read, in words for the person who started it. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { systemCode } from '../../errors.js';
import { plain } from '../terminal.js';
import { SurfaceFailure } from './failure.js';
import type { Peer } from './peers.js';
import { shortened } from './report.js';

/** A failure that says what was asked, what came of it and what to do. */
export function explained(error: unknown, asked: string, peer: Peer, milliseconds: number): SurfaceFailure {
  const trouble = peer.trouble();
  const failed = (message: string, action = peer.advice) => new SurfaceFailure(trouble === '' ? message : `${message} ${trouble}`, action);
  const reason = shortened(plain(error instanceof Error ? error.message : String(error)), 300);
  if (error instanceof ProtocolError) return failed(`The server refused ${asked}: ${reason} (${error.code}).`);
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && (error.status === 401 || error.status === 403)))
    return failed('The server asks for authorization, which this command cannot give.', 'Start one that needs none.');
  if (error instanceof SdkHttpError) return failed(`The server answered ${asked} with HTTP ${error.status}.`);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return failed(
      `The server did not answer ${asked} within ${milliseconds / 1000} s.`,
      `${peer.advice} Or give it longer with --timeout.`,
    );
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return failed(`The server ended before it answered ${asked}.`);
  if (error instanceof SdkError) return failed(`The server's answer to ${asked} makes no sense: ${reason}`);
  const code = systemCode(error) ?? (error instanceof Error ? systemCode(error.cause) : undefined);
  if (code === 'ENOENT') return failed('The command is not found.', 'Check its name; after -- comes the command, then its arguments.');
  if (error instanceof TypeError) return failed(`The server cannot be reached${code === undefined ? '' : ` (${code})`}.`);
  return failed(`The server could not be asked for ${asked}: ${reason}`);
}
