/** The schema of `"hosts"`, `"catalogue"`, `"native"` and `"usage"`: how the catalog is shown to hosts. */
import * as z from 'zod/v4';
import type { HostProfile } from '../../surfaces/hosts/profile.js';
import { filled, listOf } from './parts.js';

const EXPECTED = 'Expected an integer, 0 or more.';

function characters(description: string) {
  return z.int(EXPECTED).nonnegative(EXPECTED).describe(description).exactOptional();
}

const folders = listOf(filled, 'Folders, relative to the project or to the home folder, such as [".claude/skills"].');

const ProfileSchema = z
  .strictObject({
    host: filled.describe('The name that people know the host by.').exactOptional(),
    toolDescription: characters("How many characters of a tool's description reach the model."),
    parameterDescription: characters("How many characters of a parameter's description reach the model."),
    instructions: characters("How many characters of the server's instructions reach the model; 0 if none."),
    result: characters('The longest text result that arrives whole, in bytes of its JSON. A longer text is returned in parts.'),
    resultLines: characters('The most lines of a text result that arrive whole. A text with more is returned in parts.'),
    half: z
      .enum(['text', 'structure', 'both'])
      .describe('Which half of a result with text and structured content the model gets: "text", "structure" or "both".')
      .exactOptional(),
    defersTools: z.boolean().describe('Whether the model sees tools only after searching for them.').exactOptional(),
    skillFolders: z
      .strictObject({ project: folders, home: folders })
      .describe('Skill folders that the host reads itself: { "project": […], "home": […] }.')
      .exactOptional(),
    skillDepth: z
      .int('Expected an integer, 1 or more.')
      .min(1, 'Expected an integer, 1 or more.')
      .describe('How many folders down the host finds skills there. Default 1: only skills directly in these folders.')
      .exactOptional(),
  } satisfies Record<keyof Omit<HostProfile, 'measured' | 'isGuess'>, z.ZodType>)
  .describe('What a host lets its model see. Fields that are left out are those of the built-in profile, or safe ones.');

export const HostsSchema = z
  .record(filled, ProfileSchema)
  .describe(
    'Profiles of hosts, by the start of the name that the host gives in clientInfo. They add to the built-in ones, or override fields.',
  );

export const CatalogueSchema = z
  .strictObject({
    budget: characters(
      'How many characters the list of skills may take in every conversation; bytes with more than 500 skills. Default 16000.',
    ),
  })
  .describe('The list of skills that a model sees before its first call.');

export const NativeSchema = z
  .enum(['omit', 'serve'])
  .describe(
    'Skills in folders that the host reads itself: "omit" leaves them out of the list of skills, "serve" lists them too. Default "omit".',
  );

export const UsageSchema = z
  .boolean()
  .describe(
    'Whether loads of skills are counted in the state folder, so that those used most are described first, and over HTTP for administrators on the catalog page. Default true.',
  );
