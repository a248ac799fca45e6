/** The account of the signed-in person, as the identity service has it. */
import type { User } from '@supabase/auth-js';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { authClient } from '@/lib/auth';
import { dataOf } from './use-auth-call';

/** All reads of the account begin with it, so that each person has their own. */
const KEY = 'own-account';
const RETRIES_MAX = 2;

export type AccountPart = 'user' | 'level' | 'passkeys' | 'recovery-codes' | 'sessions' | 'staff';

/** A refusal stays one; only calls without an answer are made again. */
function retry(failures: number, error: unknown): boolean {
  const { status } = error as { status?: number };
  return failures < RETRIES_MAX && (!status || status >= 500);
}

/** Reads one part of the account; each part loads, fails and is tried again by itself. */
export function useAccountPart<T>(userId: string, part: AccountPart, read: () => Promise<T>) {
  return useQuery({ queryKey: [KEY, userId, part], queryFn: read, retry });
}

/** Marks parts as old, so that what is shown of them is read again. */
export function useRefreshAccount(userId: string): (...parts: AccountPart[]) => Promise<void> {
  const queries: QueryClient = useQueryClient();
  return useCallback(
    async (...parts) => {
      const all = parts.map((part) => queries.invalidateQueries({ queryKey: [KEY, userId, part] }));
      await Promise.all(all);
    },
    [queries, userId],
  );
}

export function useOwnUser(userId: string) {
  return useAccountPart(userId, 'user', async (): Promise<User> => {
    const { user } = await dataOf((await authClient()).getUser());
    if (!user) throw new Error('There is no account.');
    return user;
  });
}
