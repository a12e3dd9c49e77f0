/** The access token: kept for this tab alone, and sent to this server alone. */

const KEY = 'footbridge-token';

export function token(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function keepToken(value: string): void {
  sessionStorage.setItem(KEY, value);
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}
