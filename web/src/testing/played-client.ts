/** The client of a test: `lib/auth` as the pages of a booking see it. */
import { act } from '@testing-library/react';
import { useSyncExternalStore } from 'react';
import type { AuthUser } from '@/lib/auth';

export const ASHA: AuthUser = {
  id: 'u1',
  email: 'asha@example.org',
  firstName: 'Asha',
  lastName: 'Rao',
  phone: '',
};

let current: AuthUser | undefined;
const listeners = new Set<() => void>();

/** Who is signed in when a page is opened; without a person it is a visitor. */
export function beginAs(user?: AuthUser): void {
  current = user;
}

/** The page that is open learns who is signed in now. */
export function become(user: AuthUser | undefined): void {
  act(() => {
    current = user;
    for (const listener of listeners) listener();
  });
}

function read(): AuthUser | undefined {
  return current;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What takes the place of `lib/auth`; `identity` is its client library. */
export function playedAuth(identity: object = {}) {
  return {
    authClient: async () => identity,
    signOut: async () => undefined,
    useAuth: () => {
      const user = useSyncExternalStore(subscribe, read, read);
      return user ? { status: 'signed-in', user } : { status: 'signed-out', user };
    },
  };
}
