/** What is done with an entry of the wait list: each act takes a reason, which is written down. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { RadioGroup } from '@/components/ui/radio-group';
import { TextField } from '@/components/ui/text-field';
import { toInstant } from '@/lib/instant';
import { usePractice, usePracticeZone, useService } from '@/lib/practice';
import { toDate } from '@/lib/time';
import { useFromDate } from '../hooks/use-from-date';
import { useSlots } from '../hooks/use-slots';
import { type Entry, useEndWaiting, useOffering } from '../hooks/use-waiting';
import { timeWords } from '../model/time-words';
import {
  daysBefore,
  REASON_MAX,
  reasonError,
  waitingRefusalWords,
  whatWords,
  wishWords,
} from '../model/waiting';
import { CommandNotice } from './command-notice';
import { StaleNotice } from './stale-notice';
import { TimeChoice } from './time-choice';

type WaitingDialogProps = {
  entry: Entry;
  onClose: () => void;
  /** Reads the list again. */
  onCheck: () => void;
};

/** What the client waits for. */
function Wanted({ entry: { waiting } }: { entry: Entry }) {
  const { practitioners } = usePractice();
  const zone = usePracticeZone();
  return (
    <p>
      {whatWords(waiting, practitioners.length > 1)}. {wishWords(waiting, zone)}.
    </p>
  );
}

/** What was typed as the reason, and what is wrong with it once an act was tried. */
function useReason() {
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const wrong = reasonError(reason);
  return {
    field: {
      name: 'reason',
      autoComplete: 'off',
      maxLength: REASON_MAX,
      value: reason,
      error: tried ? wrong : undefined,
      onChange: (event: { target: { value: string } }) => setReason(event.target.value),
    },
    /** Does it with the reason, where there is one. */
    withReason: (act: (reason: string) => void) => {
      setTried(true);
      if (!wrong) act(reason.trim());
    },
  };
}

/** Whose time is offered: the practitioner that the client waits for, or one who gives the service. */
function useWhom({ waiting }: Entry) {
  const { practitioners } = usePractice();
  const { serviceId = '', practitionerId = '' } = waiting.wish ?? {};
  const giving = useService(serviceId)?.practitioners ?? [];
  const [chosen, setChosen] = useState('');
  const first = giving[0] ?? practitioners[0];
  return {
    people: practitionerId ? [] : giving,
    practitionerId: practitionerId || chosen || (first?.practitionerId ?? ''),
    setChosen,
  };
}

type WhomProps = ReturnType<typeof useWhom> & { onChosen: () => void };

function Whom({ people, practitionerId, setChosen, onChosen }: WhomProps) {
  if (people.length < 2) return null;
  return (
    <RadioGroup
      legend="With"
      name="practitioner"
      options={people.map((one) => ({ value: one.practitionerId, label: one.name }))}
      value={practitionerId}
      onChange={(chosen) => {
        setChosen(chosen);
        onChosen();
      }}
    />
  );
}

/** The free times from a date on, and which one is chosen. */
function useTimes({ waiting }: Entry, practitionerId: string) {
  const serviceId = waiting.wish?.serviceId ?? '';
  const { fromDate, ...turns } = useFromDate(waiting.wish?.fromDate ?? '');
  const [date, setDate] = useState('');
  const [start, setStart] = useState('');
  const slots = useSlots({ serviceId, practitionerId, fromDate });
  const before = waiting.earlierThanAt && toDate(waiting.earlierThanAt);
  const days = slots.data && daysBefore(slots.data, before);
  const times = days?.flatMap(({ parts }) => parts.flatMap((part) => part.times)) ?? [];

  return {
    slots,
    startsAt: times.find(({ startsAt }) => toInstant(startsAt) === start)?.startsAt,
    choice: {
      ...turns,
      ...{ days, date, start, onStart: setStart },
      onDate: (chosen: string) => {
        setDate(chosen);
        setStart('');
      },
    },
  };
}

export function OfferDialog({ entry, onClose, onCheck }: WaitingDialogProps) {
  const { firstName } = entry;
  const zone = usePracticeZone();
  const whom = useWhom(entry);
  const { practitionerId } = whom;
  const { slots, startsAt, choice } = useTimes(entry, practitionerId);
  const { field, withReason } = useReason();
  const offering = useOffering(entry, onClose);

  function check() {
    offering.reset();
    onCheck();
    void slots.refetch();
  }

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">Offer a time to {firstName}</span>}
      actions={
        <>
          {startsAt && !slots.error ? (
            <Button
              busy={offering.busy}
              onClick={() =>
                withReason((reason) => offering.run({ startsAt, practitionerId, reason }))
              }
            >
              <span dir="auto">
                Offer {timeWords(startsAt, zone)} to {firstName}
              </span>
            </Button>
          ) : null}
          <Button variant="secondary" onClick={onClose}>
            Offer nothing
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <Wanted entry={entry} />
        <Whom {...whom} onChosen={() => choice.onDate('')} />
        <StaleNotice
          error={slots.error}
          readAt={slots.dataUpdatedAt}
          what="The free times"
          onRetry={() => void slots.refetch()}
        />
        {slots.error ? null : <TimeChoice {...choice} />}
        <TextField
          {...field}
          label="Why this client comes first"
          hint="The order is left for it, so it is written down with your name."
        />
        <CommandNotice
          error={offering.error}
          notSure={offering.notSure}
          onCheck={check}
          wordsOf={waitingRefusalWords}
        />
        <p className="text-sm text-ink-2">
          The time is held for this client alone for a while. The client is told by mail.
        </p>
      </div>
    </Dialog>
  );
}

export function EndWaitingDialog({ entry, onClose, onCheck }: WaitingDialogProps) {
  const { waiting, firstName } = entry;
  const { field, withReason } = useReason();
  const ending = useEndWaiting(entry, onClose);

  function check() {
    ending.reset();
    onCheck();
  }

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">Take {firstName} off the list</span>}
      actions={
        <>
          <Button
            variant="danger"
            busy={ending.busy}
            onClick={() => withReason((reason) => ending.run(reason))}
          >
            <span dir="auto">Take {firstName} off the list</span>
          </Button>
          <Button variant="secondary" onClick={onClose}>
            Leave it
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Wanted entry={entry} />
        <p>
          No time is offered to this client any more
          {waiting.offer ? ', and the one that is held now goes to the next' : ''}. It cannot be
          taken back: only the client can join again.
        </p>
        <TextField {...field} label="Why" hint="It is written down with your name." />
        <CommandNotice
          error={ending.error}
          notSure={ending.notSure}
          onCheck={check}
          wordsOf={waitingRefusalWords}
        />
      </div>
    </Dialog>
  );
}
