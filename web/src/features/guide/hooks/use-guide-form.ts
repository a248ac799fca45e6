/** Sending the form: every refusal has a message, and the address stays. */

import { useTransport } from '@connectrpc/connect-query';
import { useEffect, useRef, useState } from 'react';
import { toast } from '@/components/ui/toast-store';
import { importWithRetry } from '@/lib/import-with-retry';
import { onFirstInteraction } from '@/lib/on-first-interaction';
import { withoutMarks } from '@/lib/typed';
import type { Outcome } from '../api/request-guide';
import { FAILED, type GuideProblem, NOT_SENT, SENT } from '../guide-messages';

/** The code that talks to the server; it comes as soon as the page is touched. */
function loadCalls() {
  return importWithRetry(() => import('../api/request-guide'));
}

/** `onSent` is called while the form is on the page. */
export function useGuideForm(onSent?: () => void) {
  const transport = useTransport();
  const [email, setEmail] = useState('');
  const [website, setWebsite] = useState('');
  const [sending, setSending] = useState(false);
  const [invalid, setInvalid] = useState<string>();
  const [problem, setProblem] = useState<GuideProblem>();
  const running = useRef(false);
  const there = useRef(false);

  useEffect(() => onFirstInteraction(() => void loadCalls().catch(() => undefined)), []);
  useEffect(() => {
    there.current = true;
    return () => {
      there.current = false;
    };
  }, []);

  async function attempt(): Promise<Outcome> {
    try {
      const { requestGuide } = await loadCalls();
      return await requestGuide(transport, email, website);
    } catch {
      // The code itself could not be fetched.
      return { kind: 'problem', problem: NOT_SENT };
    }
  }

  function take(outcome: Outcome): void {
    if (outcome.kind === 'invalid') {
      setInvalid(outcome.message);
    } else if (outcome.kind === 'problem') {
      setProblem(outcome.problem);
      toast({ ...FAILED, beside: true });
    } else {
      setEmail('');
      toast(SENT);
      if (there.current) onSent?.();
    }
  }

  return {
    email,
    website,
    sending,
    /** The server's error about the address. */
    invalid,
    problem,
    setWebsite,
    setEmail: (next: string) => {
      // The browser would refuse an address for marks of a messenger around it.
      setEmail(withoutMarks(next));
      setInvalid(undefined);
    },
    submit: async () => {
      if (running.current) return;
      running.current = true;
      setSending(true);
      setProblem(undefined);
      setInvalid(undefined);
      const outcome = await attempt();
      running.current = false;
      setSending(false);
      take(outcome);
    },
  };
}

export type GuideFormState = ReturnType<typeof useGuideForm>;
