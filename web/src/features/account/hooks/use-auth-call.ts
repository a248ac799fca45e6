/** One call to the identity service at a time, with its error in words. */
import type { GoTrueClient } from '@supabase/auth-js';
import { useState } from 'react';
import { authClient } from '@/lib/auth';
import { type AccountProblem, describeAccountError } from '../account-messages';

type Answer = { data: unknown; error: Error | null };

export type AuthCall = {
  busy: boolean;
  problem: AccountProblem | undefined;
  clear: () => void;
  /** The data of the answer, or nothing when the call failed; the problem then says why. */
  run: <A extends Answer>(
    call: (client: GoTrueClient) => Promise<A>,
  ) => Promise<{ data: A['data'] } | { problem: AccountProblem }>;
};

export function useAuthCall(): AuthCall {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<AccountProblem>();

  const fail = (error: unknown) => {
    const described = describeAccountError(error);
    setProblem(described);
    return { problem: described };
  };

  const run: AuthCall['run'] = async (call) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { data, error } = await call(await authClient());
      return error ? fail(error) : { data };
    } catch (error) {
      return fail(error);
    } finally {
      setBusy(false);
    }
  };

  return { busy, problem, clear: () => setProblem(undefined), run };
}
