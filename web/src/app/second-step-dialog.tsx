/** The dialog that asks a member of staff for the second step once more. */
import { Dialog } from '@/components/ui/dialog';
import { OwnSecondStep } from '@/features/account/components/own-second-step';

type SecondStepDialogProps = { open: boolean; onEnd: (done: boolean) => void };

export function SecondStepDialog({ open, onEnd }: SecondStepDialogProps) {
  return (
    <Dialog open={open} onClose={() => onEnd(false)} title="Your Second Step Again">
      <div className="flex flex-col gap-5">
        <p>
          This moves money, rights or clients' data, so we ask once more that it is you. It goes on
          by itself afterwards.
        </p>
        <OwnSecondStep onDone={() => onEnd(true)} />
      </div>
    </Dialog>
  );
}
