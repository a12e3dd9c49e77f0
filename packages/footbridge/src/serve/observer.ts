/** What is told of each request while it is served: the one interface between serving and metrics, traces and logs. */

/** One request of a host, as far as it may be shown: never content, never a token. */
export interface Operation {
  readonly transport: 'stdio' | 'http';
  /** The protocol's method. */
  readonly method: string;
  /** The tool, prompt or URI it is about. */
  readonly target?: string | undefined;
  readonly requestId?: string | number | undefined;
  readonly protocolVersion?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The caller's name. */
  readonly caller?: string | undefined;
  /** The request's `_meta`, which may carry a trace. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** How it ended; nothing when all went well. */
export interface OperationOutcome {
  /** `tool_error`, the code of a JSON-RPC error, or the name of a failure. */
  readonly errorType?: string | undefined;
}

export interface Observer {
  /** Called when a request begins; what it returns when the request has ended. */
  begin(operation: Operation): (outcome: OperationOutcome) => void;
}
