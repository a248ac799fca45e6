/** A button whose press is asked about once more, because it cannot be undone. */
import { type ReactNode, useState } from 'react';
import { Button, type ButtonVariant } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useCall } from '../hooks/use-call';
import { ProofNotice } from './proof-notice';

type AskFirstProps = {
  /** The button's words, and what a screen reader hears behind them. */
  button: string;
  of?: string;
  variant?: ButtonVariant;
  title: string;
  /** What it means. */
  children: ReactNode;
  yes: string;
  no: string;
  /** Throws what it is refused. */
  work: () => Promise<void>;
  /** It is done, and the dialog is closed. */
  onDone: () => void;
};

export function AskFirst(props: AskFirstProps) {
  const { button, of, variant = 'quiet', title, children, yes, no, work, onDone } = props;
  const [asking, setAsking] = useState(false);
  const call = useCall();

  function close() {
    setAsking(false);
    call.clear();
  }

  async function confirm() {
    const answer = await call.run(work);
    if (!('data' in answer)) return;
    close();
    onDone();
  }

  return (
    <>
      <Button variant={variant} size="sm" onClick={() => setAsking(true)}>
        <span>
          {button}
          {of ? <span className="sr-only"> {of}</span> : null}
        </span>
      </Button>
      <Dialog
        open={asking}
        onClose={close}
        title={title}
        actions={
          <>
            <Button variant="danger" busy={call.busy} onClick={() => void confirm()}>
              {yes}
            </Button>
            <Button variant="secondary" onClick={close}>
              {no}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-4">
          <ProofNotice problem={call.problem} onProved={() => void confirm()} />
          {children}
        </div>
      </Dialog>
    </>
  );
}
