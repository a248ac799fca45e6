import { useState } from 'react';
import { LateNotice } from '../../shared/components/late-notice';
import { useLateTime } from '../../shared/hooks/use-late';
import { askForTick, LATE_FIELD, LATE_TICK_MISSING, TICK_MISSING } from '../../shared/late-booking';
import { type Asked, useProceed } from '../hooks/use-proceed';
import { Chosen } from './chosen';
import { DetailsForm } from './details-form';

/** "Booking Details": submitting them takes the time and opens the payment in a new tab. */
export function DetailsScreen(asked: Asked) {
  const { book } = asked;
  const { moves, draft, starts, offer } = book;
  const first = starts[0] ? new Date(starts[0]) : undefined;
  const late = useLateTime(
    first,
    draft.lateConsents,
    offer?.cancellationPolicy,
    offer !== undefined,
  );
  const [tried, setTried] = useState(false);
  const proceed = useProceed(asked);

  function submit() {
    if (proceed.isPending) return;
    setTried(true);
    if (!draft.fields.check()) return;
    if (late && !late.agreed) {
      askForTick(LATE_FIELD, LATE_TICK_MISSING);
      return;
    }
    void proceed.run();
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
