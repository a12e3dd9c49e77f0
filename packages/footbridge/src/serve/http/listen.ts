import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Resolves when the server accepts connections; rejects when the address is in use. */
export function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no TCP port.'));
      else resolve(address);
    });
  });
}
