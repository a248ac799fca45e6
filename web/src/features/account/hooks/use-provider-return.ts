/** The way back from another service, which brings a code. */
import { useEffect, useRef, useState } from 'react';
import type { AccountProblem } from '../account-messages';
import { redeemCode, takeCode } from '../api/provider-sign-in';
import { useCall } from './use-call';

export type ProviderReturn = { returning: boolean; problem: AccountProblem | undefined };

export function useProviderReturn(onSignedIn: () => void): ProviderReturn {
  const [returning, setReturning] = useState(false);
  const { run, problem } = useCall();
  const done = useRef(onSignedIn);

  useEffect(() => {
    done.current = onSignedIn;
  });

  useEffect(() => {
    const code = takeCode();
    if (!code) return;
    setReturning(true);
    void run(() => redeemCode(code)).then((answer) => {
      setReturning(false);
      if ('data' in answer) done.current();
    });
  }, [run]);

  return { returning, problem };
}
