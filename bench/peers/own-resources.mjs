// Resources in code and our own server, as in the library's documentation. For the argument, see `resourcesOf`.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Catalog, createServer, defineResource, defineResources } from 'footbridge';
import { resourcesOf } from '../resources.mjs';

const definitions = resourcesOf(process.argv[2]).map(({ uri, name, description, mimeType, load }) =>
  defineResource({ uri, name, description, mimeType, read: load }),
);
const catalog = await Catalog.open([defineResources(definitions)]);

serveStdio(() => createServer({ catalog }));
