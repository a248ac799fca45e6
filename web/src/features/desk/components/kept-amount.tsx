/** For owners and admins: what a late cancellation kept, and one act that gives it back. It has no Undo. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import { useGivingKeptBack, useKept } from '../hooks/use-kept';
import { keptRefusalWords } from '../model/kept';
import { CommandNotice } from './command-notice';
import { StaleNotice } from './stale-notice';
import { Twice } from './twice';

export function KeptAmount({ booking }: { booking: Booking }) {
  const { data: kept, error, dataUpdatedAt, refetch } = useKept(booking);
  const giving = useGivingKeptBack(booking);
  const sum = kept && kept.minorUnits > 0n ? kept : undefined;

  function check() {
    giving.reset();
    void refetch();
  }

  // What became of the press stands there also where nothing is kept any more.
  return (
    <div className="flex flex-col items-start gap-2 empty:hidden">
      <StaleNotice
        error={error}
        readAt={dataUpdatedAt}
        what="What a late cancellation kept"
        onRetry={() => void refetch()}
      />
      {sum ? (
        <>
          <p>
            <span className="font-semibold numeric">{formatPrice(sum)}</span> was kept, because the
            client cancelled late.
          </p>
          <Twice
            // Another sum is asked about anew.
            key={String(sum.minorUnits)}
            label={`Give back ${formatPrice(sum)}`}
            sure={`Give ${formatPrice(sum)} back for good`}
            busy={giving.busy}
            onSure={() => giving.run(sum)}
          />
        </>
      ) : null}
      <CommandNotice
        error={giving.error}
        notSure={giving.notSure}
        onCheck={check}
        wordsOf={keptRefusalWords}
      />
    </div>
  );
}
