import { useState } from 'react';
import { DetailsForm } from '@/features/booking/book-page/components/details-form';
import { LateNotice } from '@/features/booking/shared/components/late-notice';
import { useLateTime } from '@/features/booking/shared/hooks/use-late';
import {
  askForTick,
  LATE_FIELD,
  LATE_TICK_MISSING,
  TICK_MISSING,
} from '@/features/booking/shared/late-booking';
import type { RefusedTimes } from '@/features/booking/shared/refused-times';
import { openPaymentTab } from '@/features/payments/payment-tab';
import { Chosen } from './chosen';
import type { Book } from './use-book';
import { useProceed } from './use-proceed';

type DetailsScreenProps = {
  book: Book;
  onLost: (lost: RefusedTimes) => void;
  /** The booking is held and its payment opened; whether the browser refused the tab. */
  onOpened: (blocked: boolean) => void;
};

/** "Booking Details": submitting them takes the time and opens the payment in a new tab. */
export function DetailsScreen({ book, onLost, onOpened }: DetailsScreenProps) {
  const { moves, draft, starts, offer } = book;
  const first = starts[0] ? new Date(starts[0]) : undefined;
  const late = useLateTime(first, draft.lateConsents, offer?.noticeHours);
  const [tried, setTried] = useState(false);
  const proceed = useProceed({ book, onLost, onOpened });

  function submit() {
    if (proceed.isPending) return;
    setTried(true);
    if (!draft.fields.check()) return;
    if (late && !late.agreed) {
      askForTick(LATE_FIELD, LATE_TICK_MISSING);
      return;
    }
    // The press itself has to open the tab; what it shows follows.
    void proceed.run(openPaymentTab());
  }

  return (
    <DetailsForm
      fields={draft.fields}
      busy={proceed.isPending}
      error={proceed.error}
      onSubmit={submit}
      onBack={() => moves.push({ step: undefined, cancelled: false, returned: false })}
    >
      <Chosen book={book} />
      {late ? (
        <LateNotice late={late} error={tried && !late.agreed ? TICK_MISSING : undefined} />
      ) : null}
    </DetailsForm>
  );
}
