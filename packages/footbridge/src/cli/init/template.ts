/** What a new skill begins with. */
import { stringify } from 'yaml';

/** A SKILL.md that keeps the standard. `description` is a person's; without one a sentence stands there that asks for it. */
export function skillTemplate(name: string, description: string | undefined): string {
  const frontmatter = stringify({ name, description: description ?? placeholder(name) }, { lineWidth: 0 });
  return `---\n${frontmatter}---\n\n${body(name)}`;
}

function placeholder(name: string): string {
  return `Says what ${name} does, then when to use it, in words that people would use. Replace this, since it is all that a model sees before it loads the skill.`;
}

function body(name: string): string {
  return `# ${name}

Say in a sentence what is achieved when this skill was followed.

## When to use

- Name a request that this skill is for.
- Name one that it is not for, and what to do instead.

## Steps

1. Write each step as an instruction, with the exact commands and names.
2. Say how to tell that a step went well, and what to do when it did not.
3. Put what is long into files of its own in this folder, and link them here: they are read only when they are needed.

## Example

Show one request from beginning to end, with what the result looks like.
`;
}
