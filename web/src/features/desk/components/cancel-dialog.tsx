/** Cancels after it has said whose session, when, and what goes back: the sum stands on the button. */
import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import { RadioGroup } from '@/components/ui/radio-group';
import { Skeleton } from '@/components/ui/skeleton';
import { toast } from '@/components/ui/toast-store';
import {
  CancellationRefund,
  CancelledBy,
  type PreviewCancellationResponse,
} from '@/gen/booking/v1/booking_staff_service_pb';
import { errorReason } from '@/lib/errors';
import { usePracticeZone } from '@/lib/practice';
import { formatDateTime, toDate } from '@/lib/time';
import { useCancelling } from '../hooks/use-cancelling';
import { useMember } from '../member';
import { type Act, actsFor } from '../model/acts';
import { cancelButton, cancelledWords, graceSentence, moneySentence } from '../model/cancel-words';
import type { SessionRow } from '../model/day';
import { refusalWords } from '../model/refusal-words';
import { clientName } from '../model/staff-booking';
import { CommandNotice } from './command-notice';

type Choice = { by: CancelledBy; refund: CancellationRefund; all: boolean };

type ChoicesProps = {
  row: SessionRow;
  acts: readonly Act[];
  choice: Choice;
  onChoose: (choice: Choice) => void;
};

const REFUNDS = [
  { value: String(CancellationRefund.UNSPECIFIED), label: 'By the policy' },
  { value: String(CancellationRefund.FULL), label: 'All of it' },
  { value: String(CancellationRefund.NONE), label: 'Nothing' },
];

/** What this member may choose; who may choose nothing cancels for the client by the policy. */
function Choices({ row: { booking, number }, acts, choice, onChoose }: ChoicesProps) {
  const isPackage = booking.sessions.length > 1;
  return (
    <>
      {isPackage ? (
        <RadioGroup
          legend="What is cancelled"
          name="all"
          options={[
            { value: 'one', label: `Session ${number} only` },
            { value: 'all', label: 'All that are left' },
          ]}
          value={choice.all ? 'all' : 'one'}
          onChange={(value) => onChoose({ ...choice, all: value === 'all' })}
        />
      ) : null}
      {acts.includes('cancel-by-practice') ? (
        <RadioGroup
          legend="Who wants it"
          name="by"
          options={[
            { value: String(CancelledBy.CUSTOMER), label: 'The client' },
            { value: String(CancelledBy.PRACTICE), label: 'The practice' },
          ]}
          value={String(choice.by)}
          onChange={(value) =>
            onChoose({ ...choice, by: Number(value), refund: CancellationRefund.UNSPECIFIED })
          }
        />
      ) : null}
      {acts.includes('choose-refund') && choice.by === CancelledBy.CUSTOMER ? (
        <RadioGroup
          legend="What goes back"
          name="refund"
          options={REFUNDS}
          value={String(choice.refund)}
          onChange={(value) => onChoose({ ...choice, refund: Number(value) })}
        />
      ) : null}
    </>
  );
}

function Shown({ shown }: { shown: PreviewCancellationResponse }) {
  const zone = usePracticeZone();
  const { sessions, grace } = shown;
  const given = grace && graceSentence(grace, zone);
  return (
    <div className="flex flex-col gap-2">
      <ul className="font-semibold numeric">
        {sessions.map(({ startsAt }) =>
          startsAt ? (
            <li key={String(startsAt.seconds)}>{formatDateTime(toDate(startsAt), zone)}</li>
          ) : null,
        )}
      </ul>
      <p>{sessions.length === 0 ? 'It is cancelled already.' : moneySentence(shown)}</p>
      {given ? <p>{given}</p> : null}
    </div>
  );
}

type CancelDialogProps = { row: SessionRow; now: number; onClose: () => void; onCheck: () => void };

export function CancelDialog({ row, now, onClose, onCheck }: CancelDialogProps) {
  const { booking, number } = row;
  const { role } = useMember();
  const [choice, setChoice] = useState<Choice>({
    by: CancelledBy.CUSTOMER,
    refund: CancellationRefund.UNSPECIFIED,
    all: false,
  });
  const wish = {
    bookingId: booking.bookingId,
    sessionNumber: booking.sessions.length > 1 && !choice.all ? number : 0,
    cancelledBy: choice.by,
    refund: choice.refund,
  };
  const { preview, cancelling, changed, confirm } = useCancelling(wish, ({ refund }) => {
    toast({ title: `${clientName(booking)}: ${cancelledWords(refund).toLowerCase()}` });
    onClose();
  });
  const { data: shown, error } = preview;
  const refused = error ? refusalWords(errorReason(error)) : undefined;

  function check() {
    cancelling.reset();
    onCheck();
    void preview.refetch();
  }

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">Cancel for {clientName(booking)}</span>}
      actions={
        <>
          {shown && shown.sessions.length > 0 && !error ? (
            <Button variant="danger" busy={cancelling.busy} onClick={confirm}>
              {cancelButton(shown)}
            </Button>
          ) : null}
          <Button variant="secondary" onClick={onClose}>
            Keep it
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <Choices row={row} acts={actsFor(role, row, now)} choice={choice} onChoose={setChoice} />
        {changed ? (
          <Alert tone="warn" live title="It has changed meanwhile">
            This is what would happen now. Nothing was cancelled yet.
          </Alert>
        ) : null}
        {shown && !error ? <Shown shown={shown} /> : null}
        {!shown && !error ? <Skeleton className="h-14 w-full" /> : null}
        {refused ? (
          <Alert tone="error" live title={refused.title}>
            {refused.message}
          </Alert>
        ) : null}
        {error && !refused ? <ErrorNotice error={error} onRetry={check} /> : null}
        <CommandNotice error={cancelling.error} notSure={cancelling.notSure} onCheck={check} />
      </div>
    </Dialog>
  );
}
