export function replacePart(file: string, part: { readonly main?: string; readonly comparison?: string }): string;
export function comparisonPart(name: string, text: string): string;
