// Resources in code and our own server, as the documentation of the library shows. What it is given: see `resourcesOf`.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Catalog, createServer, defineResource, defineResources } from 'footbridge';
import { resourcesOf } from '../resources.mjs';

const definitions = resourcesOf(process.argv[2]).map(({ uri, name, description, mimeType, load }) =>
  defineResource({ uri, name, description, mimeType, read: load }),
);
const catalog = await Catalog.open([defineResources(definitions)]);

serveStdio(() => createServer({ catalog }));
