/** Listening on an address. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Resolves when clients can connect; rejects when the address is taken. */
export function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address);
    });
  });
}
