/** Formats text for terminals. */

/** JSON with invisible characters escaped, so that they can neither control a terminal nor hide in a review. */
export function visibleJson(value: unknown, indent?: number): string {
  // In a string, a line end is escaped already.
  return JSON.stringify(value, undefined, indent).replace(
    /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** Text on one line without control characters. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
}

/** An estimate: four characters each. */
export function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

export function plural(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : 's'}`;
}

export function served(skills: number, servers: number): string {
  return servers === 0 ? plural(skills, 'skill') : `${plural(skills, 'skill')} and ${plural(servers, 'server')}`;
}

/** With thousands separators. The first call of toLocaleString takes 40 ms. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
