/** Skills, resources and templates as items of one list. */
import type { PageAudience, PageData, PageSkill, PageTemplate } from '../src/serve/http/page/shapes.js';

interface Common {
  readonly uri: string;
  readonly label: string;
  readonly description: string;
  /** Empty if none. */
  readonly category: string;
  /** Empty if unknown. */
  readonly origin: string;
  readonly requiresAdmin: boolean;
  readonly seenBy: PageAudience;
  /** Search text in lower case. */
  readonly text: string;
}

export type Item =
  | (Common & { readonly kind: 'skill'; readonly skill: PageSkill })
  | (Common & { readonly kind: 'resource'; readonly mimeType: string | undefined })
  | (Common & { readonly kind: 'template'; readonly mimeType: string | undefined; readonly template: PageTemplate });

export type Kind = Item['kind'];

export const KIND_NAMES: Readonly<Record<Kind, { readonly one: string; readonly many: string }>> = {
  skill: { one: 'Skill', many: 'Skills' },
  resource: { one: 'Resource', many: 'Resources' },
  template: { one: 'Template', many: 'Templates' },
};

export function itemsOf({ skills, resources, templates }: PageData): readonly Item[] {
  return [
    ...skills.map((skill): Item => {
      const { uri, callName: label, description, category = '', origin, seenBy } = skill;
      return { kind: 'skill', skill, ...searched({ uri, label, description, category, origin, requiresAdmin: false, seenBy }) };
    }),
    ...resources.map((resource): Item => {
      const { uri, name, title: label = name, description, category, origin = '', requiresAdmin, seenBy, mimeType } = resource;
      return { kind: 'resource', mimeType, ...searched({ uri, label, description, category, origin, requiresAdmin, seenBy }) };
    }),
    ...templates.map((template): Item => {
      const { uri, name, title: label = name, description, category, origin = '', requiresAdmin, seenBy, mimeType } = template;
      return { kind: 'template', template, mimeType, ...searched({ uri, label, description, category, origin, requiresAdmin, seenBy }) };
    }),
  ];
}

function searched(fields: Omit<Common, 'text'>): Common {
  const { label, uri, category, origin, description } = fields;
  return { ...fields, text: [label, uri, category, origin, description].join('\n').toLowerCase() };
}
