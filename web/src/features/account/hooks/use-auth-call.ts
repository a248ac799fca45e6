/** One call to the identity service by its client library, with its error in words. */
import type { GoTrueClient } from '@supabase/auth-js';
import { authClient } from '@/lib/auth';
import { type Call, type Outcome, useCall } from './use-call';

type Answer = { data: unknown; error: Error | null };

export type AuthCall = Omit<Call, 'run'> & {
  /** The data of the answer, or nothing when the call failed; the problem then says why. */
  run: <A extends Answer>(
    call: (client: GoTrueClient) => Promise<A>,
  ) => Promise<Outcome<A['data']>>;
};

/** The data of an answer; its error is thrown. */
export async function dataOf<A extends Answer>(asked: Promise<A>): Promise<A['data']> {
  const { data, error } = await asked;
  if (error) throw error;
  return data;
}

export function useAuthCall(): AuthCall {
  const call = useCall();
  return { ...call, run: (ask) => call.run(async () => dataOf(ask(await authClient()))) };
}
