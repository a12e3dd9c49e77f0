/** Starts the server of `wrap` while the program loads. Run by the loader. */
import { giveHeadStart } from '../sources/upstream/transports/head-start.js';
import { servingOptions } from './serving-options.js';

const server =
  process.stdin.isTTY === true
    ? undefined
    : servingOptions(process.argv.slice(2), { cwd: process.cwd(), env: process.env })?.wrapped?.server;
if (server !== undefined && 'command' in server) giveHeadStart(server);
