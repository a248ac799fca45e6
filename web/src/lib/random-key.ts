const BYTES = 16;

/** 32 hex digits that cannot be guessed. Unlike randomUUID this also works over plain HTTP. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
