// Contrast of two colours by WCAG 2.2. Usage: node contrast.ts "#0072B2" "#FFFFFF"

/** Red, green and blue from 0 to 255. */
type Color = readonly [red: number, green: number, blue: number];

/** Reads `#rgb` or `#rrggbb`. */
export function parseColor(text: string): Color {
  const short = /^#?([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text);
  const digits = short ? short.slice(1).map((digit) => digit + digit).join('') : text.replace(/^#/, '');
  if (!/^[0-9a-f]{6}$/i.test(digits)) throw new Error(`'${text}' is not a colour such as #0072B2.`);
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Relative luminance: 0 for black, 1 for white. */
export function luminance(color: Color): number {
  const [red, green, blue] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast from 1 (the same) to 21 (black on white), whichever is in front. */
export function contrast(one: Color, other: Color): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

const [front, back] = process.argv.slice(2);
if (front === undefined || back === undefined) {
  console.error('Usage: node contrast.ts "#0072B2" "#FFFFFF"');
  process.exitCode = 2;
} else {
  const ratio = contrast(parseColor(front), parseColor(back));
  const grade = ratio >= 7 ? 'AAA' : ratio >= 4.5 ? 'AA' : ratio >= 3 ? 'AA for large text and graphics' : 'fails';
  // Cut, not rounded: 4.499 does not pass.
  console.log(`${front} on ${back}: ${(Math.floor(ratio * 100) / 100).toFixed(2)} (${grade})`);
}
