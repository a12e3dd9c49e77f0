/** A host's request to an author's server that Footbridge answers, or whose answer it extends. */
import type { JSONRPCRequest, MessageExtraInfo, ProtocolEra } from '@modelcontextprotocol/server';
import { Cancellation, Context } from '../../sources/context.js';
import type { Caller } from '../../sources/resource.js';
import type { CatalogScope } from '../dispatch/catalog-methods.js';
import type { DispatchScope } from '../dispatch/dispatcher.js';
import { claimedEra } from '../eras.js';
import { envelopeName } from '../session/host-session.js';

interface RelayedRequest {
  readonly message: JSONRPCRequest;
  readonly extra: MessageExtraInfo | undefined;
  readonly caller: Caller;
  /** `clientInfo.name` of `initialize`. */
  readonly clientName: string | undefined;
}

export class RelayScope implements CatalogScope, DispatchScope {
  readonly message: JSONRPCRequest;
  readonly extra: MessageExtraInfo | undefined;
  readonly caller: Caller;
  readonly clientName: string | undefined;
  readonly era: ProtocolEra;
  readonly cancellation = new Cancellation();
  /** The folders of a host apply only if it started this process, which an author's server does not reveal. */
  readonly isLocal = false;

  constructor({ message, extra, caller, clientName }: RelayedRequest) {
    this.message = message;
    this.extra = extra;
    this.caller = caller;
    this.era = claimedEra(message);
    this.clientName = this.era === 'modern' ? envelopeName(message) : clientName;
  }

  context(): Context {
    const { inputResponses, requestState } = this.message.params ?? {};
    const alone = inputResponses !== undefined || requestState !== undefined;
    return new Context({ caller: this.caller, authInfo: this.extra?.authInfo, route: 'tool', alone, request: this }, this.cancellation);
  }
}
