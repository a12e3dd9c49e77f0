/** Text for people. */

/** JSON in which all that cannot be seen is spelled out, so that it can neither steer a terminal nor hide in a review. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** Text from a skill on one line, without what could steer a terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
}

/** A rough count of tokens: four characters each, as English text has it. */
export function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

export function plural(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** What a server serves, for people. */
export function served(skills: number, servers: number): string {
  return servers === 0 ? plural(skills, 'skill') : `${plural(skills, 'skill')} and ${plural(servers, 'server')}`;
}

/** A whole number with commas. Not by toLocaleString, whose first call costs a start 40 ms. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
