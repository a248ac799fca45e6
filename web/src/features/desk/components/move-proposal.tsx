/** That a client is asked to choose another time, until when, and the way to take that back. */
import { toInstant } from '@/lib/instant';
import { usePracticeZone } from '@/lib/practice';
import { useWithdrawing } from '../hooks/use-proposing';
import type { SessionRow } from '../model/day';
import { askedToMoveWords, openProposal, proposalRefusalWords } from '../model/move-proposal';
import { CommandNotice } from './command-notice';
import { Twice } from './twice';

type MoveProposalProps = {
  row: Pick<SessionRow, 'booking' | 'number'>;
  /** Reads again what is on the screen. */
  onCheck: () => void;
};

export function MoveProposal({ row, onCheck }: MoveProposalProps) {
  const { booking, number } = row;
  const zone = usePracticeZone();
  const withdrawing = useWithdrawing(row, onCheck);
  const words = askedToMoveWords(booking, number, zone);
  const until = openProposal(booking)?.until;

  function check() {
    withdrawing.reset();
    onCheck();
  }

  // What became of the press stands there also where the proposal has ended.
  return (
    <div className="flex flex-col items-start gap-2 empty:hidden">
      {words ? (
        <>
          <p className="font-semibold numeric">{words}</p>
          <Twice
            label="Take it back"
            sure="Keep the time, and tell the client"
            busy={withdrawing.busy}
            onSure={() => withdrawing.run(until ? toInstant(until) : '')}
          />
        </>
      ) : null}
      <CommandNotice
        error={withdrawing.error}
        notSure={withdrawing.notSure}
        onCheck={check}
        wordsOf={proposalRefusalWords}
      />
    </div>
  );
}
