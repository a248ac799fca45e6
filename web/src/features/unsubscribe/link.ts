/**
 * The secret of a mail's link, and what was done with it. The secret is taken out of the address at
 * once, so that it stands in no history and on no screen that is shared. It stays in this tab, so
 * that a reload shows how things stand and what was done can be taken back.
 */
import { readTab, writeTab } from '@/lib/tab-storage';

const TOKEN_KEY = 'unsubscribeToken';
const DONE_KEY = 'unsubscribeDone';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The request: that the mails end, or that they come again. */
export type Wish = 'end' | 'resume';

export type Link = {
  /** "" where there is none. */
  token: string;
  /** What this tab has done last, or nothing. */
  done: Wish | undefined;
};

export const NO_LINK: Link = { token: '', done: undefined };

/** What the address holds: a secret, "" for something that cannot be one, nothing for nothing. */
export function tokenIn(search: string): string | undefined {
  const asked = new URLSearchParams(search).get('t');
  if (asked === null) return undefined;
  return TOKEN.test(asked) ? asked : '';
}

export function readLink(): Link {
  const done = readTab(DONE_KEY);
  return {
    token: readTab(TOKEN_KEY) ?? '',
    done: done === 'end' || done === 'resume' ? done : undefined,
  };
}

export function writeLink({ token, done }: Link): void {
  writeTab(TOKEN_KEY, token || null);
  writeTab(DONE_KEY, done ?? null);
}
