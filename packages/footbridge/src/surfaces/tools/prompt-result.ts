/** The messages of a prompt as the result of a tool: each half, text and structure, complete by itself. */
import type {
  AudioContent,
  CallToolResult,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { InputRequired } from '../../sources/resource.js';
import { contentsOf } from '../../sources/server/channel.js';
import { isSeen, LARGEST_TWICE, toBlocks } from './resource-result.js';
import { failure } from './tool.js';

/** An answer to `prompts/get`. Throws where the server needs input first. Images and audio have no structured half, as with resources. */
export function promptResult(name: string, result: Fields): CallToolResult {
  if (result['resultType'] === 'input_required') throw new InputRequired(result);
  const { messages, description, _meta } = result;
  if (!Array.isArray(messages)) return failure(`The server answered without messages for the prompt '${name}'.`);
  const about = typeof description === 'string' ? { description } : {};
  const content: ContentBlock[] = [
    { type: 'text', text: `Prompt '${name}'${about.description === undefined ? '' : `: ${about.description}`}` },
    ...messages.flatMap(messageBlocks),
  ];
  const meta = isFields(_meta) ? { _meta } : {};
  if (content.some(({ type }) => type === 'image' || type === 'audio') || JSON.stringify(messages).length > LARGEST_TWICE)
    return { content, ...meta };
  return { content, structuredContent: { name, ...about, messages }, ...meta };
}

function messageBlocks(message: unknown): ContentBlock[] {
  if (!isFields(message)) return [textBlock(JSON.stringify(message))];
  const { role, content } = message;
  const heading = `${typeof role === 'string' ? role : 'unknown role'}:`;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts.flatMap((part) => partBlocks(heading, part));
}

/** The role and the content: a text in the same block, anything else in the next. */
function partBlocks(heading: string, part: unknown): ContentBlock[] {
  if (isText(part)) return [{ ...part, text: `${heading}\n\n${part.text}` }];
  if (isMedia(part) || isLink(part)) return [textBlock(heading), part];
  if (isEmbedded(part)) return [textBlock(heading), ...(isSeen([part.resource]) ? toBlocks([part.resource], true) : [part])];
  return [textBlock(`${heading}\n\n${JSON.stringify(part)}`)];
}

function textBlock(text: string): TextContent {
  return { type: 'text', text };
}

function isText(part: unknown): part is TextContent {
  return isFields(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

function isMedia(part: unknown): part is ImageContent | AudioContent {
  if (!isFields(part) || (part['type'] !== 'image' && part['type'] !== 'audio')) return false;
  return typeof part['data'] === 'string' && typeof part['mimeType'] === 'string';
}

function isLink(part: unknown): part is ResourceLink {
  return isFields(part) && part['type'] === 'resource_link' && typeof part['uri'] === 'string' && typeof part['name'] === 'string';
}

function isEmbedded(part: unknown): part is EmbeddedResource {
  return isFields(part) && part['type'] === 'resource' && contentsOf({ contents: [part['resource']] })?.length === 1;
}
