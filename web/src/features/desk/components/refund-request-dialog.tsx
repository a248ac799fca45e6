/** Answers a client's request for a refund: what goes back, and the words that the client reads. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { RadioGroup } from '@/components/ui/radio-group';
import { TextArea } from '@/components/ui/text-area';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { RefundRequest } from '@/gen/payments/v1/refund_request_service_pb';
import { formatMoney } from '@/lib/money';
import { usePracticeZone } from '@/lib/practice';
import { useReadAgain } from '../hooks/use-open-refunds';
import { useAnswering } from '../hooks/use-refund-requests';
import { ANSWER_MAX, answerError, askedWords, requestRefusalWords } from '../model/refund-requests';
import { moneyLeft, paiseOf } from '../model/rupees';
import { clientName } from '../model/staff-booking';
import { CommandNotice } from './command-notice';
import { RefundReason } from './refund-reason';
import { RupeeField } from './rupee-field';

type Share = 'all' | 'part' | 'nothing';

/** The button's words where no sum goes back, or none is typed yet. */
const BUTTONS: Record<Share, string> = {
  all: 'Give it back',
  part: 'Give it back',
  nothing: 'Give nothing back',
};

/** What goes back, as it is chosen; no sum while none is. */
function useSum(booking: Booking) {
  // What a cancelled session of a package gave back, a booking does not say.
  const isKnown = !booking.sessions.some(({ cancelled }) => cancelled);
  const left = moneyLeft(booking);
  const currencyCode = booking.price?.currencyCode ?? 'INR';
  const [share, setShare] = useState<Share>();
  const [written, setWritten] = useState('');
  const sums = { all: left, part: paiseOf(written), nothing: 0n };
  return {
    isKnown,
    left,
    currencyCode,
    share,
    setShare,
    written,
    setWritten,
    sum: share && sums[share],
  };
}

type HowMuchProps = ReturnType<typeof useSum> & {
  /** It was to be sent. */
  tried: boolean;
};

function HowMuch({ isKnown, left, currencyCode, tried, ...choice }: HowMuchProps) {
  const { share, setShare, written, setWritten } = choice;
  const all = { value: 'all', label: `All of it, ${formatMoney(left, currencyCode)}` };
  return (
    <>
      <RadioGroup
        legend="What goes back"
        name="share"
        options={[
          ...(isKnown && left > 0n ? [all] : []),
          { value: 'part', label: 'A part' },
          { value: 'nothing', label: 'Nothing' },
        ]}
        value={share}
        error={tried && !share ? 'Choose what goes back' : undefined}
        onChange={(value) => setShare(value as Share)}
      />
      {share === 'part' ? (
        <RupeeField value={written} onChange={setWritten} quiet={!tried} />
      ) : null}
    </>
  );
}

type RefundRequestDialogProps = { request: RefundRequest; booking: Booking; onClose: () => void };

export function RefundRequestDialog({ request, booking, onClose }: RefundRequestDialogProps) {
  const name = clientName(booking);
  const zone = usePracticeZone();
  const money = useSum(booking);
  const { sum, currencyCode, share } = money;
  const [answer, setAnswer] = useState('');
  const [tried, setTried] = useState(false);
  const wrong = answerError(answer);
  const again = useReadAgain();
  const answering = useAnswering({ request, booking }, onClose);

  function send() {
    setTried(true);
    if (sum !== undefined && !wrong) answering.run({ sum, currencyCode, answer: answer.trim() });
  }

  /** What was refused or not answered is read again when its words were seen. */
  function close() {
    if (answering.error || answering.notSure) again();
    onClose();
  }

  return (
    <Dialog
      open
      sheet
      onClose={close}
      title={
        <span dir="auto">
          Answer {request.number} of {name}
        </span>
      }
      actions={
        <>
          <Button variant={sum ? 'danger' : 'primary'} busy={answering.busy} onClick={send}>
            {sum ? `Give ${formatMoney(sum, currencyCode)} back` : BUTTONS[share ?? 'part']}
          </Button>
          <Button variant="secondary" onClick={close}>
            Answer later
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <RefundReason request={request} />
        <p className="text-sm text-ink-2 numeric">{askedWords(request, zone)}</p>
        <HowMuch {...money} tried={tried} />
        <TextArea
          label="What the client reads"
          name="answer"
          maxLength={ANSWER_MAX}
          value={answer}
          error={tried ? wrong : undefined}
          hint="It is mailed to the client, and cannot be changed afterwards."
          onChange={(event) => setAnswer(event.target.value)}
        />
        <CommandNotice
          error={answering.error}
          notSure={answering.notSure}
          onCheck={close}
          wordsOf={requestRefusalWords}
        />
      </div>
    </Dialog>
  );
}
