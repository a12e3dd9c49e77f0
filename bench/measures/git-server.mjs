// Serves the git repositories in a folder by `git http-backend`, on a port of its own that it sends to its parent.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const [folder] = process.argv.slice(2);

const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url, 'http://localhost');
  const backend = spawn('git', ['-c', 'safe.directory=*', '-c', 'uploadpack.allowFilter=true', 'http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
    },
  });
  request.pipe(backend.stdin);
  const chunks = [];
  backend.stdout.on('data', (chunk) => chunks.push(chunk));
  backend.once('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    for (const line of output.toString('latin1', 0, end).split('\r\n')) {
      const [name, value] = line.split(/: (.*)/s);
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.once('disconnect', () => process.exit());
