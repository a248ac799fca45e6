/** Deleting a review, and bringing it back for a short while. The row follows before the answer. */

import { createConnectQueryKey } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { dismissToast, toast } from '@/components/ui/toast-store';
import { ReviewsService } from '@/gen/reviews/v1/reviews_service_pb';
import { deviceMs } from '@/lib/clock';
import { errorReason } from '@/lib/errors';
import type { Grant } from './use-grant';

/** The server allows a little longer, for the way. */
const UNDO_MS = 10_000;

/** Everything that the pages have read about reviews. */
const PUBLIC = createConnectQueryKey({ schema: ReviewsService, cardinality: undefined });

const REMOVED = {
  title: 'Review Removed',
  description: 'The review has been successfully deleted.',
};
const RESTORE_FAILED = { title: 'Error', description: 'Failed to bring the review back.' };
const TOO_LATE = {
  title: 'Too late to undo',
  description: 'A deleted review can be brought back for 10 seconds only.',
};

type RemovalEvents = {
  /** A row is back in the list. */
  onReturn: (reviewId: string) => void;
  /** The server has brought a review back. */
  onRestored: () => void;
};

/** A review that is deleted, and whose it is. */
export type Removed = { reviewId: string; name: string };

export type Removal = {
  /** Reviews that are deleted, or are just being deleted. */
  gone: ReadonlySet<string>;
  remove: (review: Removed) => void;
  /** Brings back what was deleted last and can still be brought back. */
  undo: () => void;
};

type Undoable = Removed & { toastId: number; until: number };

/** The set of rows that are not shown. */
function useGone() {
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const mark = useCallback((reviewId: string, isGone: boolean) => {
    setGone((was) => {
      const next = new Set(was);
      if (isGone) next.add(reviewId);
      else next.delete(reviewId);
      return next;
    });
  }, []);
  return { gone, mark };
}

/** The deletions that can still be undone, newest last, and whether the list is still open. */
function useUndoables() {
  const undoables = useRef<readonly Undoable[]>([]);
  const open = useRef(true);

  // Without the list there is no grant to undo with.
  useEffect(() => {
    open.current = true;
    return () => {
      open.current = false;
      for (const { toastId } of undoables.current) dismissToast(toastId);
    };
  }, []);

  function newest(): Undoable | undefined {
    undoables.current = undoables.current.filter(({ until }) => deviceMs() < until);
    return undoables.current.at(-1);
  }

  return { undoables, open, newest };
}

export function useRemoval(grant: Grant, { onReturn, onRestored }: RemovalEvents): Removal {
  const { call } = grant;
  const queryClient = useQueryClient();
  const { gone, mark } = useGone();
  const { undoables, open, newest } = useUndoables();
  const refreshPages = () => queryClient.invalidateQueries({ queryKey: PUBLIC });

  function comesBack(reviewId: string) {
    mark(reviewId, false);
    onReturn(reviewId);
  }

  /** Each deletion can be undone for its own time, whatever other toasts are shown. */
  function offer(removed: Removed, until: number) {
    const action = {
      label: 'Undo',
      onAction: () => void restore(removed, until),
      again: `The review of ${removed.name} can still be brought back.`,
    };
    const toastId = toast({ ...REMOVED, durationMs: until - deviceMs(), action });
    undoables.current = [...undoables.current, { ...removed, toastId, until }];
  }

  async function restore(removed: Removed, until: number) {
    const { reviewId } = removed;
    undoables.current = undoables.current.filter((one) => one.reviewId !== reviewId);
    comesBack(reviewId);
    try {
      await call((client) => client.restoreReview({ reviewId }));
      toast({ title: 'Review Restored', description: 'It can be read again.' });
      onRestored();
      void refreshPages();
    } catch (error) {
      mark(reviewId, true);
      const late = errorReason(error) === 'UNDO_TOO_LATE';
      if (!late && open.current && deviceMs() < until) offer(removed, until);
      toast({ ...(late ? TOO_LATE : RESTORE_FAILED), variant: 'destructive' });
    }
  }

  async function remove(removed: Removed) {
    const { reviewId } = removed;
    mark(reviewId, true);
    try {
      await call((client) => client.deleteReview({ reviewId }));
    } catch {
      comesBack(reviewId);
      const description = 'Failed to remove the review.';
      toast({ title: 'Error', description, variant: 'destructive' });
      return;
    }
    void refreshPages();
    if (!open.current) {
      toast(REMOVED);
      return;
    }
    offer(removed, deviceMs() + UNDO_MS);
  }

  function undo() {
    const undoable = newest();
    if (!undoable) return;
    dismissToast(undoable.toastId);
    void restore(undoable, undoable.until);
  }

  return { gone, remove: (removed) => void remove(removed), undo };
}
