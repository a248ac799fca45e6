/** What comes between signing in and going on: the second step, and setting one up for staff. */
import { useCallback, useRef, useState } from 'react';
import { authClient } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import type { Asked, NextStep } from '../second-factor';

const NONE: NextStep = { name: 'none' };

async function ask(asked: Asked): Promise<NextStep> {
  try {
    const { nextStep } = await importWithRetry(() => import('../second-factor'));
    return await nextStep(await authClient(), asked);
  } catch {
    // The server asks for what it needs by itself.
    return NONE;
  }
}

type Arrival = {
  /** Staff without a second step are led to one; the account page tells them of it as well. */
  leadsStaff?: boolean;
};

export function useArrival(leave: () => void, { leadsStaff = false }: Arrival = {}) {
  const [next, setNext] = useState<NextStep>(NONE);
  const arriving = useRef(false);

  /** Goes on, or shows what comes before; the answer and the news of a session both call it. */
  const arrive = useCallback(async () => {
    if (arriving.current) return;
    arriving.current = true;
    const found = await ask(leadsStaff ? 'of staff' : 'nothing more');
    if (found.name === 'none') leave();
    else setNext(found);
  }, [leave, leadsStaff]);

  /** Back to the start: another account is to sign in. */
  const restart = useCallback(() => {
    arriving.current = false;
    setNext(NONE);
  }, []);

  return { next, arrive, restart };
}
