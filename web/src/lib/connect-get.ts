/**
 * Reads without Connect's runtime: its protocol for calls that change nothing is a GET with JSON,
 * and what the JSON leaves out (zeros, empty texts and lists) is filled in from a shape. Pages that
 * need no more than this carry 40 kB less.
 */
import { clockedFetch } from './clock';
import { RPC_BASE } from './env';

type Scalar = string | number | bigint | boolean;

/** A message's fields with their zero values, a list as the shape of one of its members. */
export type Shape<T> = T extends Scalar
  ? T
  : T extends readonly (infer Member)[]
    ? [Shape<Member>]
    : { [Field in Exclude<keyof T, '$typeName' | '$unknown'>]-?: Shape<NonNullable<T[Field]>> };

/** A point in time, which JSON writes as a text. */
export const TIMESTAMP = { seconds: 0n, nanos: 0 };

const MS = 1000;
const NANOS_OF_A_MS = 1_000_000;

function timestamp(value: unknown): typeof TIMESTAMP | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  const seconds = Math.floor(ms / MS);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * MS) * NANOS_OF_A_MS };
}

/** What a field's value is where a message leaves it out, and the parts of the rest likewise. */
export function complete(shape: unknown, value: unknown): unknown {
  if (Array.isArray(shape)) {
    const members = Array.isArray(value) ? value : [];
    return members.map((member) => complete(shape[0], member));
  }
  if (typeof shape === 'object' && shape !== null) {
    if (shape === TIMESTAMP) return timestamp(value);
    // A message that is not there has no parts either.
    if (typeof value !== 'object' || value === null) return undefined;
    return completeFields(shape, value as Record<string, unknown>);
  }
  // JSON writes 64-bit numbers as texts.
  if (typeof shape === 'bigint') return BigInt((value as string | undefined) ?? 0);
  return value ?? shape;
}

function completeFields(shape: object, value: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(shape).map(([name, part]) => [name, complete(part, value[name])]);
  return Object.fromEntries(fields.filter(([, part]) => part !== undefined));
}

type Asked = {
  input?: Record<string, string | number>;
  signal?: AbortSignal;
  /** What the browser may do with an answer that it has kept. */
  cache?: RequestCache;
};

/** Asks `catalogue.v1.CatalogueService/GetPractice` and the like; throws where there is no answer. */
export async function connectGet<T>(
  method: string,
  shape: Shape<T>,
  asked: Asked = {},
): Promise<T> {
  const { input = {}, signal, cache } = asked;
  const message = JSON.stringify(input);
  const query = new URLSearchParams({ connect: 'v1', encoding: 'json', message });
  const how = { ...(signal && { signal }), ...(cache && { cache }) };
  const answer = await clockedFetch(`${RPC_BASE}/${method}?${query}`, how);
  if (!answer.ok) {
    // A body that is not read keeps its connection busy.
    await answer.text();
    throw new Error(`${method} answered ${answer.status}.`);
  }
  return complete(shape, await answer.json()) as T;
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
