/** What is done with a held time, and the address of its page once it was asked for. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useHeld } from '../hooks/use-held';
import type { Act } from '../model/acts';
import type { SessionRow } from '../model/day';
import { CommandNotice } from './command-notice';
import { PageAddress } from './page-address';
import { Twice } from './twice';

type HeldActsProps = {
  row: SessionRow;
  acts: readonly Act[];
  onCheck: () => void;
  onDone: () => void;
};

export function HeldActs({ row, acts, onCheck, onDone }: HeldActsProps) {
  const { booking } = row;
  const { bookingId } = booking;
  const [page, setPage] = useState('');
  const { release, sendPage, accept } = useHeld(setPage, onDone);
  const all = [release, sendPage, accept];
  const failed = all.find(({ error }) => error)?.error;
  const notSure = all.some((one) => one.notSure);

  function check() {
    for (const one of all) one.reset();
    onCheck();
  }

  return (
    <>
      {acts.includes('accept-claim') ? (
        <Twice
          block
          label="Accept the client's word"
          sure="Confirm without a payment that was seen"
          busy={accept.busy}
          onSure={() => accept.run(bookingId)}
        />
      ) : null}
      {acts.includes('send-page') ? (
        <Button
          variant="secondary"
          size="sm"
          block
          busy={sendPage.busy}
          onClick={() => sendPage.run(bookingId)}
        >
          Mail the payment page again
        </Button>
      ) : null}
      {page ? <PageAddress row={row} address={page} /> : null}
      {acts.includes('release') ? (
        <Twice
          block
          label="Release the time"
          sure="Release it: the payment link ends"
          busy={release.busy}
          onSure={() => release.run(bookingId)}
        />
      ) : null}
      <CommandNotice error={failed} notSure={notSure} onCheck={check} />
    </>
  );
}
