/** What becomes of a link: asked, done and undone, failed, or no link at all. */

import { useTransport } from '@connectrpc/connect-query';
import { useEffect, useRef, useState } from 'react';
import { importWithRetry } from '@/lib/import-with-retry';
import { onFirstInteraction } from '@/lib/on-first-interaction';
import type { Outcome } from '../api/change-mails';
import { NO_LINK, type Wish } from '../link';
import { type Failure, UNREACHABLE } from '../unsubscribe-messages';
import { useLink } from './use-link';

export type View = 'asking' | 'ended' | 'resumed' | 'bad-link';

const VIEW_AFTER: Record<Wish, View> = { end: 'ended', resume: 'resumed' };

function loadCalls() {
  return importWithRetry(() => import('../api/change-mails'));
}

export function useUnsubscribe() {
  const transport = useTransport();
  const { link, keep } = useLink();
  const [sending, setSending] = useState<Wish>();
  const [failure, setFailure] = useState<Failure>();
  const running = useRef(false);

  useEffect(() => onFirstInteraction(() => void loadCalls().catch(() => undefined)), []);

  async function attempt(wish: Wish, token: string): Promise<Outcome> {
    try {
      const { changeMails } = await loadCalls();
      return await changeMails(transport, wish, token);
    } catch {
      // The code itself could not be fetched.
      return { kind: 'failed', failure: UNREACHABLE };
    }
  }

  async function press(wish: Wish): Promise<void> {
    if (running.current || !link?.token) return;
    running.current = true;
    setFailure(undefined);
    setSending(wish);
    const outcome = await attempt(wish, link.token);
    running.current = false;
    setSending(undefined);
    if (outcome.kind === 'failed') setFailure(outcome.failure);
    if (outcome.kind === 'bad-link') keep(NO_LINK);
    if (outcome.kind === 'done') keep({ ...link, done: wish });
  }

  function view(): View {
    if (link?.done) return VIEW_AFTER[link.done];
    return link?.token === '' ? 'bad-link' : 'asking';
  }

  /** Storage can hold what was done without the secret that takes it back. */
  return { view: view(), canPress: Boolean(link?.token), sending, failure, press };
}
