/** What comes after an address was confirmed: on, or a password first where the service forgot it. */
import { useCallback, useRef, useState } from 'react';
import { writePendingEmail } from '../pending-email';
import { forgetSignUpSecret } from '../sign-up-secret';
import { useAuthCall } from './use-auth-call';

export function useConfirmed(leave: () => void) {
  const [choosing, setChoosing] = useState(false);
  const redeeming = useRef(false);
  const { run } = useAuthCall();

  /** While a code is redeemed, its answer says what comes next, not the news of its session. */
  const onRedeeming = useCallback((begun: boolean) => {
    redeeming.current = begun;
  }, []);

  /** `typed` is the password that was typed on this page, if one was. */
  async function onConfirmed(needed: boolean, typed?: string) {
    writePendingEmail(null);
    forgetSignUpSecret();
    if (needed) {
      const saved = typed ? await run((client) => client.updateUser({ password: typed })) : {};
      if (!('data' in saved)) {
        setChoosing(true);
        return;
      }
    }
    leave();
  }

  return { choosing, redeeming, onRedeeming, onConfirmed };
}
