// An MCP server over stdio that relays all messages to and from a port: relay.mjs PORT KEY
import { connect } from 'node:net';

const [port, key] = process.argv.slice(2);
const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${key}\n`));
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
process.stdin.on('end', () => process.exit(0));
