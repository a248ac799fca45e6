/** Sending the form: every refusal has a message, and nothing typed is lost. */

import { useTransport } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { toast } from '@/components/ui/toast-store';
import type { Review } from '@/gen/reviews/v1/reviews_service_pb';
import type { AuthUser } from '@/lib/auth';
import { endAttempt } from '@/lib/idempotency-key';
import { importWithRetry } from '@/lib/import-with-retry';
import { onFirstInteraction } from '@/lib/on-first-interaction';
import { useDraftFields } from '@/lib/use-draft-fields';
import type { Outcome, Wish } from '../api/publish-review';
import { ATTEMPT_KEY, clearDraft, REVIEW_FORM } from '../review-draft';
import { type FormProblem, NO_RATING, NOT_SUBMITTED, OFFLINE, PUBLISHED } from '../review-messages';
import type { ReviewValues } from '../review-rules';
import type { Invitation } from './use-invitation';
import { usePhoto } from './use-photo';

/** The code that talks to the server; it comes as soon as the page is touched. */
function loadCalls() {
  return importWithRetry(() => import('../api/publish-review'));
}

export type Phase = { name: 'idle' } | { name: 'uploading'; part: number } | { name: 'sending' };

const IDLE: Phase = { name: 'idle' };

/** One attempt at a time, with what it is busy with. */
function usePublish() {
  const transport = useTransport();
  const queryClient = useQueryClient();
  const [phase, setPhase] = useState<Phase>(IDLE);
  const running = useRef<AbortController | null>(null);

  useEffect(() => onFirstInteraction(() => void loadCalls().catch(() => undefined)), []);
  useEffect(() => () => running.current?.abort(), []);

  async function attempt(wish: Wish, signal: AbortSignal): Promise<Outcome> {
    const upload = wish.picture && !wish.picture.imageId;
    setPhase(upload ? { name: 'uploading', part: 0 } : { name: 'sending' });
    const onProgress = (part: number) =>
      setPhase(part < 1 ? { name: 'uploading', part } : { name: 'sending' });
    try {
      const { publishReview, refreshReviews } = await loadCalls();
      const outcome = await publishReview(transport, wish, { onProgress, signal });
      if (outcome.kind === 'published') void refreshReviews(queryClient);
      return outcome;
    } catch {
      return { kind: 'problem', problem: OFFLINE };
    }
  }

  return {
    phase,
    isRunning: () => running.current !== null,
    publish: async (wish: Wish) => {
      running.current = new AbortController();
      const outcome = await attempt(wish, running.current.signal);
      running.current = null;
      setPhase(IDLE);
      return outcome;
    },
    cancel: () => running.current?.abort(),
  };
}

/** Whether the form is still on the page, for what comes after a long wait. */
function useIsThere(): () => boolean {
  const there = useRef(false);
  useEffect(() => {
    there.current = true;
    return () => {
      there.current = false;
    };
  }, []);
  return () => there.current;
}

type Asked = {
  user: AuthUser | undefined;
  invitation: Invitation;
  /** Called only while the form is on the page, not after the visitor has left it. */
  onPublished: (review: Review) => void;
};

export function useReviewForm({ user, invitation, onPublished }: Asked) {
  const fields = useDraftFields<ReviewValues>(REVIEW_FORM, user);
  const photo = usePhoto();
  const { phase, isRunning, publish, cancel } = usePublish();
  const isThere = useIsThere();
  const [withoutBadge, setWithoutBadge] = useState(false);
  const [problem, setProblem] = useState<FormProblem>();

  function take(outcome: Outcome): void {
    if (outcome.kind === 'published') {
      endAttempt(ATTEMPT_KEY);
      clearDraft();
      if (!withoutBadge) invitation.forget();
      toast(PUBLISHED);
      if (isThere()) onPublished(outcome.review);
    } else if (outcome.kind === 'image') {
      photo.refuse(outcome.words);
      toast({ ...outcome.words, beside: true });
    } else if (outcome.kind === 'fields') {
      fields.refuse(outcome.errors);
      toast({ ...NOT_SUBMITTED, beside: true });
    } else if (outcome.kind === 'problem') {
      setProblem(outcome.problem);
      if (outcome.problem.kind === 'failed') toast({ ...NOT_SUBMITTED, beside: true });
    }
  }

  async function send(secret: string, badgeLeftOff: boolean): Promise<void> {
    if (isRunning()) return;
    setProblem(undefined);
    if (!fields.check()) {
      if (!fields.values.rating) toast({ ...NO_RATING, beside: true });
      return;
    }
    photo.forgetError();
    const { values } = fields;
    const { picture } = photo;
    take(await publish({ values, picture, invitation: secret, withoutBadge: badgeLeftOff }));
  }

  return {
    fields,
    photo,
    phase,
    problem,
    withoutBadge,
    setWithoutBadge,
    submit: () => send(invitation.secret, withoutBadge),
    /**
     * Goes on without an invitation that is worth nothing, and without the badge that a session of
     * the account could give. Later attempts keep to that: they must be the same attempt.
     */
    submitWithoutInvitation: () => {
      invitation.forget();
      setWithoutBadge(true);
      return send('', true);
    },
    cancel,
  };
}

export type ReviewFormState = ReturnType<typeof useReviewForm>;
