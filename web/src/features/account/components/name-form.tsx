import type { FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/text-field';
import { useFields } from '@/lib/use-fields';
import { type NameValues, validateName } from '../account-rules';
import { useCall } from '../hooks/use-call';
import { ProofNotice } from './proof-notice';

type NameFormProps = {
  label: string;
  hint?: string;
  suggested: string;
  button: string;
  busyText: string;
  /** Throws what it is refused. */
  work: (name: string) => Promise<void>;
  onDone: () => void;
  onCancel: () => void;
};

/** Asks for a name, and does with it what its button says. */
export function NameForm(props: NameFormProps) {
  const { label, hint, suggested, button, busyText, work, onDone, onCancel } = props;
  const fields = useFields<NameValues>({ name: suggested }, validateName);
  const call = useCall();

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void submit();
  }

  async function submit() {
    call.clear();
    if (call.busy || !fields.check()) return;
    const answer = await call.run(() => work(fields.values.name.trim()));
    if ('data' in answer) onDone();
    else if (answer.problem.field === 'name') fields.refuse({ name: answer.problem.message });
  }

  return (
    <div className="flex flex-col gap-4">
      {call.problem?.field === 'name' ? null : (
        <ProofNotice problem={call.problem} onProved={() => void submit()} />
      )}
      <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
        <TextField label={label} hint={hint} autoComplete="off" {...fields.input('name')} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" size="sm" busy={call.busy} busyText={busyText}>
            {button}
          </Button>
          <Button variant="secondary" size="sm" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </form>
    </div>
  );
}
