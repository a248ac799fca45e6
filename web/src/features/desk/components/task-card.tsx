/** One task: what it is about, since when, and what can be done about it here. */
import { type ReactNode, useState } from 'react';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/text-field';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { UnexplainedOrder } from '@/gen/payments/v1/payments_staff_service_pb';
import type { RefundRequest } from '@/gen/payments/v1/refund_request_service_pb';
import { serverNow } from '@/lib/clock';
import { formatPrice } from '@/lib/money';
import { usePracticeZone } from '@/lib/practice';
import type { Zone } from '@/lib/time';
import { useDeskNews } from '../hooks/use-bookings';
import { useOneBooking } from '../hooks/use-one-booking';
import { type TaskWish, useTaskAct } from '../hooks/use-task-acts';
import { mailWord } from '../model/mail-words';
import type { OpenRefund } from '../model/open-refunds';
import { answerByWords } from '../model/refund-requests';
import { clientName } from '../model/staff-booking';
import type { Task } from '../model/tasks';
import { timeWords } from '../model/time-words';
import { CommandNotice } from './command-notice';
import { RefundAct, RefundSecondStep } from './open-refunds';
import { RefundReason } from './refund-reason';
import { AnswerAct } from './refund-requests';

type Doing = ReturnType<typeof useTaskAct>;

function Do({ doing, wish, children }: { doing: Doing; wish: TaskWish; children: ReactNode }) {
  return (
    <Button size="sm" variant="secondary" busy={doing.busy} onClick={() => doing.run(wish)}>
      {children}
    </Button>
  );
}

function Call({ booking }: { booking: Booking | undefined }) {
  const phone = booking?.contact?.phone;
  if (!booking || !phone) return null;
  return (
    <Button size="sm" variant="secondary" href={`tel:${phone}`}>
      Call {booking.contact?.firstName}
    </Button>
  );
}

function OpenBooking({ bookingId }: { bookingId: string }) {
  if (!bookingId) return null;
  return (
    <Button size="sm" variant="quiet" to={`/desk/bookings/${bookingId}`}>
      Open the booking
    </Button>
  );
}

/** The client of a mail that failed: the number is for calling instead. */
function CallInstead({ bookingId }: { bookingId: string }) {
  const { data } = useOneBooking(bookingId);
  return <Call booking={data?.booking} />;
}

function Explain({ order, doing }: { order: UnexplainedOrder; doing: Doing }) {
  const [open, setOpen] = useState(false);
  const [explanation, setExplanation] = useState('');
  if (!open) {
    return (
      <Button size="sm" variant="secondary" onClick={() => setOpen(true)}>
        Explain…
      </Button>
    );
  }
  const enough = explanation.trim().length >= 3;
  return (
    <div className="flex w-full flex-col gap-2">
      <TextField
        label="Why it is right as it is"
        name="explanation"
        autoComplete="off"
        maxLength={500}
        hint="Kept with your name; it comes back if the sum changes."
        value={explanation}
        onChange={(event) => setExplanation(event.target.value)}
      />
      {enough ? (
        <Do doing={doing} wish={{ act: 'explain', order, explanation: explanation.trim() }}>
          It is explained
        </Do>
      ) : null}
    </div>
  );
}

type Words = { title: ReactNode; more: ReactNode; acts: ReactNode };

function mailWords(task: Task & { kind: 'mail' }, doing: Doing): Words {
  const { mailId, kind, reason, bookingId } = task.mail;
  return {
    title: `${mailWord(kind)}: the mail failed`,
    more: `The mail server said: ${reason || 'nothing'}. Call the client instead.`,
    acts: (
      <>
        {bookingId ? <CallInstead bookingId={bookingId} /> : null}
        <Do doing={doing} wish={{ act: 'settle-mail', mailId }}>
          Dealt with
        </Do>
        <Do doing={doing} wish={{ act: 'retry-mail', mailId }}>
          Try again
        </Do>
        <OpenBooking bookingId={bookingId} />
      </>
    ),
  };
}

function moneyWords({ order }: Task & { kind: 'money' }, doing: Doing): Words {
  const sum = formatPrice(order.amount);
  return {
    title: `Money that nothing explains${sum ? `: ${sum}` : ''}`,
    more: order.explanation,
    acts: (
      <>
        <Explain order={order} doing={doing} />
        <OpenBooking bookingId={order.bookingId} />
      </>
    ),
  };
}

const REFUND_WORDS: Record<OpenRefund['kind'], { what: string; more: string }> = {
  disputed: {
    what: 'waits for the end of a dispute',
    more: 'The bank disputes the payment. Given back before it decides, the dispute can end.',
  },
  'at-desk': {
    what: 'is to be given back at the desk',
    more: 'It was paid there. Give it back there, and record that.',
  },
};

/** With the client's name once it is read; the second step of its act names it as well. */
function RefundActs({ refund, doing }: { refund: OpenRefund; doing: Doing }) {
  const { bookingId, orders } = refund;
  const { data } = useOneBooking(bookingId);
  const [kind, setKind] = useState<OpenRefund['kind']>();
  const booking = data?.booking;
  const [only, ...others] = orders;
  const waits = refund.kind === 'disputed' && others.length === 0;
  return (
    <>
      {booking ? (
        <>
          <p className="w-full text-sm" dir="auto">
            {clientName(booking)}
          </p>
          <RefundAct refund={refund} onOpen={setKind} />
          <Call booking={booking} />
          <RefundSecondStep booking={booking} kind={kind} onClose={() => setKind(undefined)} />
        </>
      ) : null}
      {waits && only ? <Explain order={only} doing={doing} /> : null}
      <OpenBooking bookingId={bookingId} />
    </>
  );
}

function refundWords({ refund }: Task & { kind: 'refund' }, doing: Doing): Words {
  const { what, more } = REFUND_WORDS[refund.kind];
  return {
    title: `${formatPrice(refund.amount)} ${what}`,
    more,
    acts: <RefundActs refund={refund} doing={doing} />,
  };
}

/** With the client's name once it is read; the second step of its act names it as well. */
function RequestActs({ request }: { request: RefundRequest }) {
  const { data } = useOneBooking(request.bookingId);
  const booking = data?.booking;
  return (
    <>
      {booking ? (
        <>
          <p className="w-full text-sm" dir="auto">
            {clientName(booking)}
          </p>
          <AnswerAct request={request} booking={booking} />
          <Call booking={booking} />
        </>
      ) : null}
      <OpenBooking bookingId={request.bookingId} />
    </>
  );
}

function requestWords({ request }: Task & { kind: 'request' }): Words {
  return {
    title: `A client asks for a refund: ${request.number}`,
    more: <RefundReason request={request} />,
    acts: <RequestActs request={request} />,
  };
}

function clientWords(task: Task & { kind: 'claim' | 'consent' }): Words {
  const { booking } = task;
  const name = <span dir="auto">{clientName(booking)}</span>;
  const isClaim = task.kind === 'claim';
  return {
    title: (
      <>
        {name} {isClaim ? 'says that it is paid' : 'has withdrawn the consent'}
      </>
    ),
    more: isClaim
      ? 'The provider has not said so. Look whether the money came, then accept it.'
      : 'An online session is to come. Call, or cancel it.',
    acts: (
      <>
        <Call booking={booking} />
        <OpenBooking bookingId={booking.bookingId} />
      </>
    ),
  };
}

function wordsOf(task: Task, doing: Doing): Words {
  switch (task.kind) {
    case 'claim':
    case 'consent':
      return clientWords(task);
    case 'request':
      return requestWords(task);
    case 'refund':
      return refundWords(task, doing);
    case 'money':
      return moneyWords(task, doing);
    case 'mail':
      return mailWords(task, doing);
    case 'calendar': {
      const { calendarId, practitionerName, problem } = task.source;
      return {
        title: `The calendar of ${practitionerName} cannot be read`,
        more: `${problem.replaceAll('_', ' ')}. Its last busy times stay closed.`,
        acts: (
          <Do doing={doing} wish={{ act: 'read-calendar', calendarId }}>
            Read it now
          </Do>
        ),
      };
    }
    default: {
      const { streamId, error } = task.event;
      const wish: TaskWish = { act: 'retry-event', service: task.service, streamId };
      return {
        title: `An event was not taken in by ${task.service}`,
        more: error,
        acts: (
          <Do doing={doing} wish={wish}>
            Try again
          </Do>
        ),
      };
    }
  }
}

/** What a task's moment means: until when, since when, or when the session is. */
function whenWords(task: Task, zone: Zone): string {
  const { at, kind } = task;
  if (kind === 'request') return answerByWords(task.request, serverNow(), zone);
  if (!at) return '';
  const isDue = kind === 'money' && task.order.respondByAt !== undefined;
  const word = isDue ? 'Answer by' : kind === 'claim' ? 'Session' : 'Since';
  return `${word} ${timeWords(at, zone)}`;
}

function When({ task }: { task: Task }) {
  const zone = usePracticeZone();
  const words = whenWords(task, zone);
  return words ? <p className="text-sm text-ink-2 numeric">{words}</p> : null;
}

export function TaskCard({ task }: { task: Task }) {
  const doing = useTaskAct();
  const { refresh } = useDeskNews();
  const { title, more, acts } = wordsOf(task, doing);
  return (
    <article className="flex flex-col gap-2 rounded-card border border-hairline bg-surface p-4 shadow-soft">
      <h2 className="text-base font-semibold">{title}</h2>
      <When task={task} />
      {more ? <div className="text-sm wrap-break-word">{more}</div> : null}
      <div className="flex flex-wrap gap-2">{acts}</div>
      <CommandNotice
        error={doing.error}
        notSure={doing.notSure}
        onCheck={() => {
          doing.reset();
          void refresh();
        }}
      />
    </article>
  );
}
