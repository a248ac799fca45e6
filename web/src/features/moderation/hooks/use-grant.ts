/** The grant: given for a password, used by each call, given back when the panel closes. */

import { type Client, createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ReviewsStaffService } from '@/gen/reviews/v1/reviews_staff_service_pb';
import { deviceMs } from '@/lib/clock';
import { lock, locked } from '../api/lock';
import { type Ends, endsOf, LOOK_EVERY_MS, leftMs, lossOf, RAN_OUT, usedAt } from '../grant-rules';

export type StaffClient = Client<typeof ReviewsStaffService>;

export type Grant = {
  /** When it ends; undefined while the panel is locked. */
  ends: Ends | undefined;
  /** Why the panel is locked again, or empty. */
  why: string;
  /**
   * Asks for a grant; throws what the server answers. False if the panel was closed by then.
   * The password is kept nowhere.
   */
  unlock: (password: string) => Promise<boolean>;
  /** Makes a call with the grant. When the answer says that it has ended, the panel is locked. */
  call: <A>(ask: (client: StaffClient) => Promise<A>) => Promise<A>;
  /** Uses the grant, so that it does not end for want of use. */
  stay: () => void;
};

type State = { ends: Ends | undefined; why: string };

const LOCKED: State = { ends: undefined, why: '' };

/** Whether the server may hold a grant of this panel, and giving it back once. */
function useHolding() {
  const holding = useRef(false);
  const open = useRef(true);
  const giveBack = useCallback(() => {
    if (!holding.current) return;
    holding.current = false;
    lock();
  }, []);
  const hold = useCallback(() => {
    holding.current = true;
    // The panel was closed while the password was being checked.
    if (!open.current) giveBack();
  }, [giveBack]);

  useEffect(() => {
    open.current = true;
    window.addEventListener('pagehide', giveBack);
    return () => {
      open.current = false;
      window.removeEventListener('pagehide', giveBack);
      giveBack();
    };
  }, [giveBack]);
  const isOpen = useCallback(() => open.current, []);
  return { hold, giveBack, isOpen };
}

/** Ends the grant when its time is over, also after a sleep in which no timer ran. */
function useEnd(ends: Ends | undefined, onEnd: () => void) {
  useEffect(() => {
    if (!ends) return;
    const look = () => {
      if (leftMs(ends, deviceMs()) === 0) onEnd();
    };
    const timer = setTimeout(onEnd, leftMs(ends, deviceMs()));
    const looking = setInterval(look, LOOK_EVERY_MS);
    document.addEventListener('visibilitychange', look);
    window.addEventListener('focus', look);
    return () => {
      clearTimeout(timer);
      clearInterval(looking);
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('focus', look);
    };
  }, [ends, onEnd]);
}

export function useGrant(): Grant {
  const transport = useTransport();
  const client = useMemo(() => createClient(ReviewsStaffService, transport), [transport]);
  const [{ ends, why }, setState] = useState(LOCKED);
  const { hold, giveBack, isOpen } = useHolding();

  const lose = useCallback(
    (reason: string) => {
      giveBack();
      setState({ ends: undefined, why: reason });
    },
    [giveBack],
  );

  useEnd(
    ends,
    useCallback(() => lose(RAN_OUT), [lose]),
  );

  const unlock = useCallback(
    async (password: string) => {
      await locked();
      const askedAt = deviceMs();
      try {
        const granted = await client.unlock({ password });
        hold();
        setState({ ends: endsOf(granted, askedAt), why: '' });
      } catch (error) {
        if (isOpen()) throw error;
      }
      return isOpen();
    },
    [client, hold, isOpen],
  );

  const call = useCallback<Grant['call']>(
    async (ask) => {
      const askedAt = deviceMs();
      try {
        const answer = await ask(client);
        setState((was) => (was.ends ? { ...was, ends: usedAt(was.ends, askedAt) } : was));
        return answer;
      } catch (error) {
        const reason = lossOf(error);
        if (reason) lose(reason);
        throw error;
      }
    },
    [client, lose],
  );

  const stay = useCallback(() => {
    call((one) => one.listStaffReviews({ pageSize: 1 })).catch(() => {
      // Then it ends when it says; a grant that is lost has locked the panel already.
    });
  }, [call]);

  return { ends, why, unlock, call, stay };
}
