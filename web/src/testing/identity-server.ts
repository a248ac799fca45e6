/** An identity service for tests: calls by fetch, and what a test lets each of them answer. */
import { vi } from 'vitest';

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };
type Handler = (body: unknown) => Answer | Promise<Answer>;

export type Call = { method: string; path: string; body: unknown; authorization: string | null };

/** Answers calls below /auth/v1 and of the RPC of memberships; others reach no server. */
export class IdentityServer {
  readonly calls: Call[] = [];
  readonly #answers = new Map<string, Handler>();

  /** Takes the place of the browser's fetch until the end of the test. */
  start(): this {
    vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => this.#take(String(url), init));
    return this;
  }

  /** "GET sessions", and what it answers from now on. */
  on(call: string, answer: Answer | Handler): this {
    this.#answers.set(call, typeof answer === 'function' ? answer : () => answer);
    return this;
  }

  /** The bodies of the calls of one kind, in their order. */
  bodiesOf(call: string): unknown[] {
    const those = this.calls.filter(({ method, path }) => `${method} ${path}` === call);
    return those.map(({ body }) => body);
  }

  async #take(url: string, init: RequestInit | undefined): Promise<Response> {
    const { pathname } = new URL(url, window.location.origin);
    const path = pathname.replace(/^\/auth\/v1\/|^\/rpc\//, '');
    const method = init?.method ?? 'GET';
    const body: unknown = init?.body ? JSON.parse(String(init.body)) : undefined;
    const authorization = new Headers(init?.headers).get('authorization');
    this.calls.push({ method, path, body, authorization });
    const handler = this.#answers.get(`${method} ${path}`);
    if (!handler) throw new TypeError('no network in tests');
    const answer = await handler(body);
    const text = answer.body === undefined ? null : JSON.stringify(answer.body);
    return new Response(text, { status: answer.status ?? 200, headers: answer.headers ?? {} });
  }
}

/** A refusal of the contract. */
export function refusedWith(status: number, code: string, message = code): Answer {
  return { status, body: { code, message } };
}
