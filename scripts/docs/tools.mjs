// Our tools, as the program itself lists them.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { typeText } from './schema-text.mjs';
import { code, prose, table } from './table.mjs';

const root = join(import.meta.dirname, '..', '..');

/** A part for each tool, by its name. */
export async function toolParts() {
  const tools = await listTools();
  return Object.fromEntries(tools.map((tool) => [tool.name, partOf(tool)]));
}

function partOf({ title, description, inputSchema, outputSchema, annotations = {} }) {
  const hints = Object.entries(annotations).map(([hint, value]) => `${code(hint)} ${value}`);
  return [
    `**${title}**, with the hints ${hints.join(', ')}. Description:`,
    `\`\`\`text\n${description}\n\`\`\``,
    fields('Argument', inputSchema),
    outputSchema === undefined ? 'No output schema.' : fields('In `structuredContent`', outputSchema),
  ].join('\n\n');
}

function fields(head, { properties, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    typeText(schema),
    required.includes(name) ? 'yes' : 'no',
    prose(schema.description ?? ''),
  ]);
  return table([head, 'Type', 'Required', 'Meaning'], rows);
}

/** With two skills, and a server that has prompts, so that no tool is missing. */
async function listTools() {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-docs-'));
  const everything = join(root, 'node_modules', '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
  const server = { command: process.execPath, args: [everything], exclude: { tools: ['*'], resources: ['*'] } };
  const settings = { standardFolders: false, skills: [join(root, 'examples', 'skills', 'office')], mcpServers: { everything: server } };
  writeFileSync(join(folder, 'footbridge.json'), JSON.stringify(settings));
  const program = [join(root, 'packages', 'footbridge', 'bin', 'footbridge.cjs'), '--config', join(folder, 'footbridge.json')];
  const child = spawn(process.execPath, program, {
    cwd: root,
    env: { ...process.env, FOOTBRIDGE_CACHE: 'off' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    return (await ask(child)).tools;
  } finally {
    child.stdin.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ask({ stdin, stdout }) {
  const clientInfo = { name: 'docs', version: '1.0.0' };
  const send = (message) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list', params: {} });
  for await (const line of createInterface({ input: stdout })) {
    const { id, result } = JSON.parse(line);
    if (id === 2) return result;
  }
  throw new Error('The program ended before it listed its tools.');
}
