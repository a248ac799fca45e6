/** The practice can't hold a session: another time by one tap, or everything back. */
import { useId } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Skeleton } from '@/components/ui/skeleton';
import type { MoveProposal } from '@/gen/booking/v1/booking_service_pb';
import { toInstant } from '@/lib/instant';
import { usePracticeZone } from '@/lib/practice';
import type { Zone } from '@/lib/time';
import { isOnline } from '../../shared/booking-state';
import { type Choosing, type GoneTime, type Unheard, useChoosing } from '../hooks/use-choosing';
import { orderWords, refusedWords, startOf } from '../move';
import { pageCodeProblem } from '../page-code';
import { askedNumber, askedWords, lapseWords, takeBackWords } from '../proposal';
import { shortTime } from '../refund-words';
import type { Act, ForActs } from './act-dialogs';
import { ConfirmMove } from './confirm-move';
import { EndedNotice, MoveFailed } from './move-notices';

function goneTitle({ at, reason }: GoneTime, order: string, zone: Zone): string {
  const when = shortTime(at, zone);
  return reason ? refusedWords(reason, when, order).title : `${when} is not free any more`;
}

/** The suggested times, of which one is pressed. */
function Times({ choosing }: { choosing: Choosing }) {
  const zone = usePracticeZone();
  const { suggested, times, chosen, pick } = choosing;
  if (!times && suggested.error) {
    return (
      <ErrorNotice
        error={suggested.error}
        title="We can't say which times are free"
        onRetry={suggested.refetch}
      />
    );
  }
  if (!times) {
    return (
      <div aria-busy="true">
        <span className="sr-only">Looking up free times…</span>
        <Skeleton className="h-11 w-full" />
      </div>
    );
  }
  if (times.length === 0) return <p>No time near it is free just now. Please look further.</p>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and these are buttons.
    <div role="group" aria-label="Free times" className="flex flex-wrap gap-2">
      {times.map((at) => (
        <Button
          key={toInstant(at)}
          variant="secondary"
          size="sm"
          aria-pressed={toInstant(at) === chosen}
          className="numeric aria-pressed:border-brand aria-pressed:text-brand"
          onClick={() => pick(at)}
        >
          {shortTime(at, zone)}
        </Button>
      ))}
    </div>
  );
}

type ChosenProps = QuestionProps & { choosing: Choosing };

/** What became of the last choice, and the button that moves the session to the one that is pressed. */
function Chosen({ booking, proposal, now, choosing, onAct }: ChosenProps) {
  const zone = usePracticeZone();
  const number = askedNumber(proposal);
  const { gone, chosen, moving, pageCode } = choosing;
  const from = startOf(booking, number);
  const title = gone && goneTitle(gone, orderWords(booking, number, zone), zone);
  return (
    <>
      {title ? (
        <Alert tone="warn" live title={title}>
          Nothing was moved. Please choose one of the times above, or look for another one.
        </Alert>
      ) : null}
      {moving.ended ? (
        <EndedNotice
          {...{ booking, now }}
          sessionNumber={number}
          reason={moving.ended}
          onCancel={() => onAct({ name: 'cancel', number })}
        />
      ) : null}
      {pageCodeProblem(moving.error) ? null : <MoveFailed {...moving} />}
      {from ? (
        <div className="flex flex-col items-start gap-3 empty:hidden">
          <ConfirmMove
            {...{ from, chosen, pageCode }}
            online={isOnline(booking)}
            busy={moving.busy}
            onMove={(code) => moving.move(chosen, code)}
          />
        </div>
      ) : null}
    </>
  );
}

type QuestionProps = ForActs & {
  proposal: MoveProposal;
  preset: Date | undefined;
  /** A time was chosen, and no answer says whether the session has it. */
  onUnheard: (choice: Unheard) => void;
  onAct: (act: Act) => void;
};

export function ProposalQuestion(props: QuestionProps) {
  const { booking, proposal, preset, news, onMoved, onUnheard, onAct } = props;
  const titleId = useId();
  const zone = usePracticeZone();
  const number = askedNumber(proposal);
  const choosing = useChoosing({ booking, news, onMoved, onUnheard, number, preset });
  return (
    <section
      aria-labelledby={titleId}
      className="flex flex-col gap-4 rounded-card border border-brand bg-surface p-5"
    >
      <p id={titleId} className="text-lg font-semibold">
        Please choose another time
      </p>
      <p className="numeric">{askedWords(booking, number, zone)}</p>
      <Times choosing={choosing} />
      <Chosen {...props} choosing={choosing} />
      <div className="flex flex-wrap gap-2">
        <Button variant="secondary" size="sm" onClick={() => onAct({ name: 'move', number })}>
          Another time
        </Button>
        <Button variant="secondary" size="sm" onClick={() => onAct({ name: 'cancel', number })}>
          {takeBackWords(booking)}
        </Button>
      </div>
      <p className="text-ink-2 numeric">{lapseWords(booking, proposal, zone)}</p>
    </section>
  );
}
