/** Counts how often skills are loaded, by any method. */
import type { Snapshot } from '../../catalog/snapshot.js';
import { findSkillFile } from '../../catalog/target.js';
import { isFields } from '../../json.js';
import { nameKey, qualifiedName } from '../../sources/skill-uri.js';
import { SKILL_FILE } from '../../sources/source.js';
import type { Observer, Operation } from './observer.js';

/** The catalog page is not a host: viewing a skill there does not count as a use. */
const PAGE = 'footbridge-page';

/** `used` is called with the name of an existing skill. `prompts`: whether skills are prompts. */
export function observeUses(snapshot: () => Snapshot, prompts: boolean, used: (skill: string) => void): Observer {
  const ignore = () => {};
  return {
    begin(operation) {
      const { method, subjects, target } = operation;
      const isPrompt = method === 'prompts/get';
      const asked = isPrompt && prompts && target !== undefined ? [target] : subjects;
      if (asked === undefined || isPage(operation)) return ignore;
      return ({ errorType }) => {
        if (errorType !== undefined) return;
        for (const subject of asked) {
          const name = skillOf(snapshot(), subject);
          if (name !== undefined) used(name);
        }
      };
    },
  };
}

/** The qualified name of the skill that a name, or the URI of its SKILL.md, means. */
function skillOf(snapshot: Snapshot, subject: string): string | undefined {
  if (!subject.includes('://')) {
    const skill = snapshot.byName.get(nameKey(subject.trim()));
    return skill && qualifiedName(skill);
  }
  const found = findSkillFile(snapshot, subject);
  return found?.path === SKILL_FILE ? qualifiedName(found.skill) : undefined;
}

function isPage({ meta }: Operation): boolean {
  const client = meta?.['io.modelcontextprotocol/clientInfo'];
  return isFields(client) && client['name'] === PAGE;
}
