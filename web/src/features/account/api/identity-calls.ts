/**
 * Calls of our identity service that its client library does not have. All of them pass through
 * `identityCall`, so that how a session travels is decided in one place.
 */
import { accessToken } from '@/lib/auth';
import { cookieFetch } from '@/lib/cookie-fetch';
import { authUrl } from '@/lib/env';

/** The version of the contract in which errors have a code. */
const API_VERSION = '2024-01-01';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A refusal, in the form of the client library's errors. */
export class IdentityError extends Error {
  readonly code: string;
  readonly status: number;
  /** How long to wait, where the answer says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, code: string, status: number, retryAfterSeconds?: number) {
    super(message);
    this.name = 'IdentityError';
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy between us may answer with a page.
    return undefined;
  }
}

function refused(answer: Response, text: string): IdentityError {
  const body = (parsed(text) ?? {}) as Record<string, unknown>;
  const word = (name: string) => (typeof body[name] === 'string' ? String(body[name]) : '');
  const seconds = Number(answer.headers.get('retry-after'));
  return new IdentityError(
    word('message') || word('msg'),
    word('code') || word('error_code'),
    answer.status,
    seconds > 0 ? seconds : undefined,
  );
}

/** Asks the identity service, as the signed-in person if there is one. Throws its refusal. */
export async function identityCall<T>(method: Method, path: string, body?: object): Promise<T> {
  const token = await accessToken();
  const headers = new Headers({ 'x-supabase-api-version': API_VERSION });
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (body) headers.set('content-type', 'application/json');
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const answer = await cookieFetch(`${authUrl()}/${path}`, init);
  const text = await answer.text();
  if (!answer.ok) throw refused(answer, text);
  return parsed(text) as T;
}
