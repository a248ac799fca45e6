/**
 * What a browser keeps of the person who is signed in, and its removal when their session ends: by
 * a sign-out here, in another tab, or at the service.
 */
import { useEffect } from 'react';
import { readTab, writeTab } from './tab-storage';

/** How the site looks and what it has shown already: of the browser, not of a person. */
const OF_BROWSER = [
  ...['theme', 'videoCaptions', 'promoBubbleDismissed', 'exitPopupShown', 'carriedToast'],
  ...['deskKeys'],
];

/** Whether there is a session (lib/session-store): it changes by rules of its own. */
const OF_SESSION = 'session';

/**
 * What a link or a sign-in that is under way has brought. An expired session is noticed after a
 * link was opened, and must not take that link away; only a sign-out removes these.
 */
const OF_LINKS = [
  ...['invitationKey', 'paymentPageKey', 'paymentPageBooking', 'joinKey', 'reviewInvitation'],
  ...['unsubscribeToken', 'unsubscribeDone'],
  ...['signUpSecret', 'addressToConfirm', 'providerVerifier', 'scheduledEvent'],
  ...['supabase.auth.token', 'supabase.auth.token-code-verifier'],
];

/** Whose drafts this tab keeps: it may have been elsewhere when their session ended. */
const OWNER_KEY = 'draftsOf';

const listeners = new Set<() => void>();

function storages(): Storage[] {
  try {
    // Pages inside of other apps may have none, and get null instead of an error.
    return [localStorage, sessionStorage].filter((storage) => storage !== null);
  } catch {
    // Where storage is refused, nothing is kept.
    return [];
  }
}

function removeAllBut(kept: readonly string[]): void {
  for (const storage of storages()) {
    for (const key of Object.keys(storage)) if (!kept.includes(key)) storage.removeItem(key);
  }
}

/** Removes what is kept of a person. With `links`, also what links have brought: a sign-out. */
export function forgetPerson(links: 'links' | 'no links' = 'no links'): void {
  const kept = [...OF_BROWSER, OF_SESSION];
  removeAllBut(links === 'links' ? kept : [...kept, ...OF_LINKS]);
  for (const listener of listeners) listener();
}

/** The id of the account whose drafts this tab keeps, if any. */
export function draftsOwner(): string | null {
  return readTab(OWNER_KEY);
}

export function setDraftsOwner(userId: string): void {
  writeTab(OWNER_KEY, userId);
}

/** Calls the listener when a person has gone, for what pages have in memory. */
export function onPersonGone(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The same for a component; the listener has to be a stable function. */
export function usePersonGone(listener: () => void): void {
  useEffect(() => onPersonGone(listener), [listener]);
}
