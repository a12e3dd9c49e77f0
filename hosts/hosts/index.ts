/** The hosts, in the order of the tables. */
import type { Host } from '../host.js';
import { claudeCode } from './claude-code.js';
import { cline } from './cline.js';
import { codex } from './codex.js';
import { continueCli } from './continue.js';
import { copilotCli } from './copilot-cli.js';
import { geminiCli } from './gemini-cli.js';
import { kilo } from './kilo.js';
import { kimiCode } from './kimi-code.js';
import { opencode } from './opencode.js';
import { qwenCode } from './qwen-code.js';

export const HOSTS: readonly Host[] = [claudeCode, codex, geminiCli, qwenCode, opencode, copilotCli, continueCli, kilo, cline, kimiCode];
