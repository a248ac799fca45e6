import { useEffect, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Skeleton } from '@/components/ui/skeleton';
import { importWithRetry } from '@/lib/import-with-retry';
import { toInstant } from '@/lib/instant';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { Unheard } from '../hooks/use-choosing';
import { startOf } from '../move';
import { openProposal } from '../proposal';
import { ActDialogs, type ForActs, useAct } from './act-dialogs';

/** The practice rarely asks. */
const proposalQuestion = lazyLoader(
  async () => (await importWithRetry(() => import('./proposal-question'))).ProposalQuestion,
);

type ProposalPartProps = ForActs & {
  /** The time that a link of a mail has chosen. */
  preset?: Date | undefined;
};

/** A choice without an answer: the question is gone once it was done, and what it did is said then. */
function useUnheard({ booking, onMoved }: ForActs, isOpen: boolean) {
  const [unheard, setUnheard] = useState<Unheard>();
  useEffect(() => {
    if (!unheard || isOpen) return;
    setUnheard(undefined);
    const at = startOf(booking, unheard.number);
    if (at && toInstant(at) === unheard.instant) onMoved(booking, unheard.number);
  }, [unheard, isOpen, booking, onMoved]);
  return setUnheard;
}

/** The practice's question, while it is open. */
export function ProposalPart({ preset, ...given }: ProposalPartProps) {
  const { booking, now } = given;
  const proposal = openProposal(booking, now);
  const onUnheard = useUnheard(given, proposal !== undefined);
  const props: ForActs = {
    ...given,
    onMoved: (after, number) => {
      onUnheard(undefined);
      given.onMoved(after, number);
    },
  };
  const [act, setAct] = useAct(booking);
  return (
    <>
      {proposal ? (
        <LazySection
          code={proposalQuestion}
          resting={<Skeleton className="h-80 w-full rounded-card" />}
          missing="We ask you to choose another time, and the times could not be loaded"
        >
          {(ProposalQuestion) => (
            <ProposalQuestion {...props} {...{ proposal, preset, onUnheard }} onAct={setAct} />
          )}
        </LazySection>
      ) : null}
      {act ? <ActDialogs {...props} act={act} onAct={setAct} /> : null}
    </>
  );
}
