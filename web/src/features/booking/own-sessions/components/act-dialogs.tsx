/** The dialogs that move and cancel a session. */
import { useCallback, useEffect, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { Outcomes } from '../hooks/use-outcome';
import type { OwnNews } from '../hooks/use-own-bookings';
import { cancellableNumbers } from '../own-booking';
import { CancelDialog } from './cancel-dialog';

/** The calendar is large and rarely needed here, so its code is loaded when a session is to be moved. */
const moveDialog = lazyLoader(
  async () => (await importWithRetry(() => import('./move-dialog'))).MoveDialog,
);

/** What is chosen, and of which session, from 1; 0 is for cancelling all to come. */
export type Act = { name: 'move' | 'cancel'; number: number };

/** A booking that can be changed here, and where the changes go. */
export type ForActs = {
  booking: Booking;
  now: number;
  outcomes: Outcomes;
  news: OwnNews;
  /** A session was moved; its number, from 1. */
  onMoved: (after: Booking, number: number) => void;
};

/** The act whose dialog is open. */
export function useAct(booking: Booking) {
  const [act, setAct] = useState<Act>();
  const isPending = booking.pendingCancellation !== undefined;
  // It was begun after all, by an answer that was lost or on another page.
  useEffect(() => {
    if (isPending) setAct((before) => (before?.name === 'cancel' ? undefined : before));
  }, [isPending]);
  return [act, setAct] as const;
}

type ActDialogsProps = ForActs & { act: Act; onAct: (act: Act | undefined) => void };

export function ActDialogs({ act, onAct, ...props }: ActDialogsProps) {
  const { booking, now, outcomes, news, onMoved } = props;
  const { name, number } = act;
  const close = useCallback(() => onAct(undefined), [onAct]);
  const cancellable = cancellableNumbers(booking, now).includes(number);
  const onStale = () => news.refresh(booking.bookingId);
  if (name === 'move') {
    return (
      <LazySection code={moveDialog} resting={null} missing="The free times could not be loaded">
        {(MoveDialog) => (
          <MoveDialog
            {...{ booking, now, onStale }}
            sessionNumber={number}
            onClose={close}
            onLearn={news.learn}
            onDone={(after) => {
              close();
              onMoved(after, number);
            }}
            onCancel={cancellable ? () => onAct({ name: 'cancel', number }) : undefined}
          />
        )}
      </LazySection>
    );
  }
  return (
    <CancelDialog
      {...{ booking, onStale }}
      sessionNumber={booking.package ? number : 0}
      onClose={close}
      onDone={(after, { refund }) => {
        close();
        outcomes.onBegun(after, refund);
      }}
    />
  );
}
