/** One call at a time, with its error in words. */
import { useCallback, useState } from 'react';
import { type AccountProblem, describeAccountError } from '../account-messages';

export type Outcome<T> = { data: T } | { problem: AccountProblem };

export type Call = {
  busy: boolean;
  problem: AccountProblem | undefined;
  clear: () => void;
  /** What `work` gives, or nothing when it throws; the problem then says why. */
  run: <T>(work: () => Promise<T>) => Promise<Outcome<T>>;
};

export function useCall(): Call {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<AccountProblem>();

  const clear = useCallback(() => setProblem(undefined), []);

  const run: Call['run'] = useCallback(async (work) => {
    setBusy(true);
    setProblem(undefined);
    try {
      return { data: await work() };
    } catch (error) {
      const described = describeAccountError(error);
      setProblem(described);
      return { problem: described };
    } finally {
      setBusy(false);
    }
  }, []);

  return { busy, problem, clear, run };
}
