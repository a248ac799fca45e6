/**
 * The contract's client library as its makers publish it, in pages of the practice's origin that
 * have nothing else of ours: an app of another maker, in a browser.
 */
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';
import type { AuthChangeEvent, GoTrueClient } from '@supabase/auth-js';
import { build } from 'vite';

const ENTRY = resolve(
  import.meta.dirname,
  '../../node_modules/@supabase/auth-js/dist/module/index.js',
);

export type Flow = 'implicit' | 'pkce';
export type Failure = { name: string; code?: string; status?: number; message: string };
// biome-ignore lint/suspicious/noExplicitAny: each method has an answer of its own.
type Data = any;

type Held = { client: GoTrueClient; events: AuthChangeEvent[] };

declare global {
  interface Window {
    AuthJs: typeof import('@supabase/auth-js');
    held: Record<string, Held>;
  }
}

let bundle: Promise<string> | undefined;

/** The library as one script, which sets `AuthJs`. */
async function bundled(): Promise<string> {
  const lib = { entry: ENTRY, formats: ['iife' as const], name: 'AuthJs', fileName: 'library' };
  const options = { write: false, minify: false, lib };
  const built = await build({ configFile: false, logLevel: 'silent', build: options });
  const [first] = [built].flat();
  if (!first || !('output' in first)) throw new Error('The client library was not bundled.');
  return first.output[0].code;
}

type Setting = { key: string; url: string; flowType: Flow };

/** Runs in the page: a client as an app makes it, and the events that it tells. */
async function makeClient({ key, url, flowType }: Setting): Promise<void> {
  // A change of address is redeemed by a session of its account, and the library's verifyOtp sends
  // none: an app adds it. Without it any browser could be given an account that a stranger prepared.
  const fetchAsPerson: typeof fetch = (input, init) => {
    const held = localStorage.getItem(key);
    if (!held || !String(input).endsWith('/verify')) return fetch(input, init);
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${JSON.parse(held).access_token}`);
    return fetch(input, { ...init, headers });
  };
  const client = new window.AuthJs.GoTrueClient({
    url,
    fetch: fetchAsPerson,
    flowType,
    storageKey: key,
    experimental: { passkey: true },
  });
  const events: AuthChangeEvent[] = [];
  await new Promise<void>((told) => {
    client.onAuthStateChange((event) => {
      events.push(event);
      if (event === 'INITIAL_SESSION') told();
    });
    window.held = { ...window.held };
    window.held[key] = { client, events };
  });
}

type Call = { key: string; path: string; given: unknown[] };

/** Runs in the page: calls a method by its path, as `mfa.enroll`. */
async function callMethod({ key, path, given }: Call) {
  const names = path.split('.');
  const method = names.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: a method by its name.
  const owner = names.reduce<any>((at, name) => at[name], window.held[key]?.client);
  const answer = (await owner[method](...given)) ?? {};
  const { data = null, error = null } = answer;
  const { name, code, status, message } = error ?? {};
  return {
    data: JSON.parse(JSON.stringify(data)) as Data,
    error: error && ({ name, code, status, message } as Failure),
  };
}

/** One client of a page, with storage of its own. */
export class LibraryClient {
  private readonly page: Page;
  readonly key: string;

  constructor(page: Page, key: string) {
    this.page = page;
    this.key = key;
  }

  ask(path: string, ...given: unknown[]): Promise<{ data: Data; error: Failure | null }> {
    return this.page.evaluate(callMethod, { key: this.key, path, given });
  }

  /** The data of an answer that must not be an error. */
  async good(path: string, ...given: unknown[]): Promise<Data> {
    const { data, error } = await this.ask(path, ...given);
    if (error) throw new Error(`${path}: ${JSON.stringify(error)}`);
    return data;
  }

  /** All events so far, oldest first. */
  events(): Promise<string[]> {
    return this.page.evaluate((key) => window.held[key]?.events ?? [], this.key);
  }
}

/** A page of an app of another maker; all its clients use one flow. */
export class LibraryPage {
  readonly page: Page;
  readonly flow: Flow;
  /** Where links of mails lead back to. */
  readonly address: string;
  private readonly identity: string;
  private made = 0;

  private constructor(page: Page, site: string, flow: Flow) {
    this.page = page;
    this.flow = flow;
    this.address = `${site}/app-of-another-maker`;
    this.identity = `${site}/auth/v1`;
  }

  static async open(page: Page, site: string, flow: Flow): Promise<LibraryPage> {
    const library = new LibraryPage(page, site, flow);
    const body = '<!doctype html><title>App</title><link rel="icon" href="data:,">';
    const isApp = (url: URL) => url.href.startsWith(library.address);
    await page.route(isApp, (route) => route.fulfill({ contentType: 'text/html', body }));
    await library.visit(library.address);
    return library;
  }

  /** Loads the app at an address of its own, for example that of a mail's link. */
  async visit(address: string): Promise<void> {
    bundle ??= bundled();
    await this.page.goto(address);
    await this.page.addScriptTag({ content: await bundle });
  }

  /** A new client, or one that finds what another left in storage; it has told its first event. */
  async client(key = `${this.flow}-${this.made++}`): Promise<LibraryClient> {
    const setting = { key, url: this.identity, flowType: this.flow };
    await this.page.evaluate(makeClient, setting);
    return new LibraryClient(this.page, key);
  }
}
