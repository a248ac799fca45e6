/**
 * Code that could not be had, asked for again. Some browsers (Chromium 148) remember for as long as
 * the document lives that a file did not come, and never ask for its address again; so a later
 * attempt asks for the same file by another address. Files that it stands on keep theirs, so nothing
 * is asked for while there is no connection.
 */
const ADDRESS = /\bhttps?:\/\/\S+\.js\b/;

const lost = new Set<string>();
let attempts = 0;

/** The address that an error of import() names; some browsers name none. */
function addressOf(error: unknown): string | undefined {
  return error instanceof Error ? ADDRESS.exec(error.message)?.[0] : undefined;
}

/** Wraps each import() that can be tried again after a failure. */
export async function importWithRetry<T>(load: () => Promise<T>): Promise<T> {
  if (typeof navigator !== 'undefined' && navigator.onLine === false) {
    throw new Error('There is no connection.');
  }
  try {
    return await load();
  } catch (error) {
    const address = addressOf(error);
    if (!address || !lost.has(address)) {
      if (address) lost.add(address);
      throw error;
    }
    attempts += 1;
    return (await import(/* @vite-ignore */ `${address}?again=${attempts}`)) as T;
  }
}
