/**
 * Work that the identity service asks for when a network has too many wrong sign-ins: a number is
 * searched in a worker, and the request is repeated once with it. People notice a second's wait
 * instead of a refusal. The search is loaded only when it is asked for.
 */

const HEADER = 'x-work-challenge';

/** Searches the work for the header's value; undefined where it cannot be done. */
export type Solve = (asked: string) => Promise<string | undefined>;

function withToken(body: string, token: string): string | undefined {
  try {
    const fields = JSON.parse(body) as Record<string, unknown>;
    return JSON.stringify({ ...fields, gotrue_meta_security: { captcha_token: token } });
  } catch {
    return undefined;
  }
}

async function solveInWorker(asked: string): Promise<string | undefined> {
  const { solveInWorker } = await import('./work-solver');
  return solveInWorker(asked);
}

/** The same `fetch`, which does work where a response asks for it. */
export function fetchWithWork(send: typeof fetch, solve: Solve = solveInWorker): typeof fetch {
  return async (input, init) => {
    const answer = await send(input, init);
    const asked = answer.headers.get(HEADER);
    if (!asked || typeof init?.body !== 'string') return answer;
    const token = await solve(asked).catch(() => undefined);
    const body = token && withToken(init.body, token);
    return body ? send(input, { ...init, body }) : answer;
  };
}
