/** The SDK's server, without its schemas of the whole protocol around each tool call. */
import { type Implementation, McpServer, Server, type ServerOptions } from '@modelcontextprotocol/server';

/**
 * Does not hold the parameters and the result of `tools/call` against the SDK's schemas, which costs as much as the rest
 * of a call. Whoever sets that handler checks what goes in, and answers for what comes out.
 */
export class LeanMcpServer extends McpServer {
  override readonly server: Server;

  constructor(info: Implementation, options: ServerOptions) {
    super(info, options);
    this.server = new LeanServer(info, options);
  }
}

type Wrap = Server['_wrapHandler'];

class LeanServer extends Server {
  protected override _wrapHandler(method: string, handler: Parameters<Wrap>[1]): ReturnType<Wrap> {
    return method === 'tools/call' ? handler : super._wrapHandler(method, handler);
  }
}
