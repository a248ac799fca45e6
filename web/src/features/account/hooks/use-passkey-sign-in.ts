/** Signing in with a passkey: by a button, and from what the browser offers in the field. */
import type { Session } from '@supabase/auth-js';
import { useEffect, useRef, useState } from 'react';
import { whenIdle } from '@/lib/idle';
import { type AccountProblem, describeAccountError } from '../account-messages';
import { askChallenge, ceremony, openWithPasskey, showPasskey } from '../api/passkeys';
import { takeSession } from '../api/take-session';
import { hasPasskeys, offersInField } from '../passkey-support';

/** How long a challenge is good for where the service does not say. */
const CHALLENGE_MS = 300_000;

/** What the browser was given, or nothing when the time of its challenge has come near its end. */
async function onePasskey(stop: AbortSignal): Promise<Session | undefined> {
  const { askForPasskey } = await ceremony();
  const { challenge_id, options } = await askChallenge();
  if (stop.aborted) return undefined;
  // Browsers keep such an offer open for hours; a challenge lives for minutes.
  const life = new AbortController();
  const end = () => life.abort();
  const timer = setTimeout(end, ((options.timeout ?? CHALLENGE_MS) * 3) / 4);
  stop.addEventListener('abort', end);
  try {
    const credential = await askForPasskey(options, life.signal);
    return await showPasskey(challenge_id, credential);
  } catch (error) {
    if (life.signal.aborted && !stop.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', end);
  }
}

/** Waits until a passkey is chosen in the field; where none is offered there, nothing comes. */
async function offerInField(stop: AbortSignal): Promise<Session | undefined> {
  if (!(await offersInField())) return undefined;
  while (!stop.aborted) {
    const session = await onePasskey(stop);
    if (session) return session;
  }
  return undefined;
}

/** Codes of an offer that was only left. */
const QUIET = new Set(['passkey_cancelled', 'passkey_unsupported', '']);

export function usePasskeySignIn(onSignedIn: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<AccountProblem>();
  const [supported, setSupported] = useState(false);
  const [round, setRound] = useState(0);
  const offer = useRef<AbortController>(undefined);
  const done = useRef(onSignedIn);

  useEffect(() => {
    done.current = onSignedIn;
  });

  useEffect(() => setSupported(hasPasskeys()), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a new offer.
  useEffect(() => {
    const control = new AbortController();
    offer.current = control;
    const cancel = whenIdle(() => {
      offerInField(control.signal)
        .then(async (session) => {
          if (!session || control.signal.aborted) return;
          await takeSession(session);
          done.current();
        })
        .catch((error: unknown) => {
          const described = describeAccountError(error);
          if (!control.signal.aborted && !QUIET.has(described.code)) setProblem(described);
        });
    });
    return () => {
      cancel();
      control.abort();
    };
  }, [round]);

  async function press() {
    if (busy) return;
    // The browser asks for one passkey at a time.
    offer.current?.abort();
    setBusy(true);
    setProblem(undefined);
    try {
      await takeSession(await openWithPasskey());
      done.current();
    } catch (error) {
      setProblem(describeAccountError(error));
      setRound((before) => before + 1);
    } finally {
      setBusy(false);
    }
  }

  return { supported, busy, problem, press };
}
