/**
 * Reads without Connect's runtime: its protocol for calls that change nothing is a GET with JSON,
 * and what the JSON leaves out (zeros, empty texts and lists) is filled in from zero values that
 * are generated from the contract. Pages that need no more than this carry 40 kB less.
 */
import { clockedFetch } from './clock';
import { RPC_BASE } from './env';

/** A call as tools/protoc-gen-reads.mjs writes it. */
export type Read<Input, Answer> = { path: string; answer: object; of?: (input: Input) => Answer };

/** What a call asks with. */
export type InputOf<R> = R extends Read<infer Input, unknown> ? Input : never;

const MS = 1000;
const NANOS_OF_A_MS = 1_000_000;

function timestamp(value: unknown): { seconds: bigint; nanos: number } | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  const seconds = Math.floor(ms / MS);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * MS) * NANOS_OF_A_MS };
}

/** What a field's value is where a message leaves it out, and the parts of the rest likewise. */
export function complete(zero: unknown, value: unknown): unknown {
  if (zero === null) return timestamp(value);
  if (Array.isArray(zero)) {
    const members = Array.isArray(value) ? value : [];
    return members.map((member) => complete(zero[0], member));
  }
  if (typeof zero === 'object') {
    // A message that is not there has no parts either.
    if (typeof value !== 'object' || value === null) return undefined;
    return completeFields(zero, value as Record<string, unknown>);
  }
  // JSON writes 64-bit numbers as texts.
  if (typeof zero === 'bigint') return BigInt((value as string | undefined) ?? 0);
  return value ?? zero;
}

function completeFields(zero: object, value: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(zero).map(([name, part]) => [name, complete(part, value[name])]);
  return Object.fromEntries(fields.filter(([, part]) => part !== undefined));
}

type Asked<Input> = {
  input?: Input;
  signal?: AbortSignal;
  /** What the browser may do with an answer that it has kept. */
  cache?: RequestCache;
};

/** Asks, and throws where there is no answer. */
export async function connectGet<Input, Answer>(
  { path, answer: zero }: Read<Input, Answer>,
  { input, signal, cache }: Asked<Input> = {},
): Promise<Answer> {
  const message = JSON.stringify(input ?? {});
  const query = new URLSearchParams({ connect: 'v1', encoding: 'json', message });
  const how = { ...(signal && { signal }), ...(cache && { cache }) };
  const answer = await clockedFetch(`${RPC_BASE}/${path}?${query}`, how);
  if (!answer.ok) {
    // A body that is not read keeps its connection busy.
    await answer.text();
    throw new Error(`${path} answered ${answer.status}.`);
  }
  return complete(zero, await answer.json()) as Answer;
}

/**
 * The plain read where it works. Where it does not, Connect asks once more and says what is wrong
 * in the one form of errors that the site has.
 */
export async function connectGetOr<T>(
  plain: Promise<T>,
  ask: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await plain;
  } catch (error) {
    if (signal?.aborted) throw error;
    return ask();
  }
}

/** The key that connect-query gives a read, so that what it calls stale includes plain reads. */
export function connectGetKey(service: string, methodName: string, input: object = {}) {
  return ['connect-query', { serviceName: service, methodName, input }] as const;
}
