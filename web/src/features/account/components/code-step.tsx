/** The form of the second step: a field for a code of any kind. */
import type { FormEvent, KeyboardEvent } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorSummary } from '@/components/ui/error-summary';
import { TextArea } from '@/components/ui/text-area';
import { TextField } from '@/components/ui/text-field';
import { type Fields, useFields } from '@/lib/use-fields';
import type { CodeValues } from '../account-rules';
import { useCall } from '../hooks/use-call';
import { ProblemNotice } from './account-problem';

type CodeStepProps = {
  label: string;
  validate: (values: CodeValues) => { code?: string };
  numeric: boolean;
  /** What is said of a code that is refused. */
  wrong: string;
  redeem: (code: string) => Promise<void>;
  onDone: () => void;
};

function takeFocus(field: HTMLElement | null): void {
  field?.focus();
}

type CodeFieldProps = ReturnType<Fields<CodeValues>['input']> & { label: string };

function DigitsField(props: CodeFieldProps) {
  return (
    <TextField
      ref={takeFocus}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      enterKeyHint="done"
      className="text-center text-h3 numeric"
      {...props}
    />
  );
}

/** Two lines, because a recovery code is wider than a phone; Enter sends it all the same. */
function LettersField(props: CodeFieldProps) {
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  }

  return (
    <TextArea
      ref={takeFocus}
      rows={2}
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      enterKeyHint="done"
      className="resize-none wrap-anywhere numeric"
      onKeyDown={onKeyDown}
      {...props}
    />
  );
}

export function CodeStep({ label, validate, numeric, wrong, redeem, onDone }: CodeStepProps) {
  const fields = useFields<CodeValues>({ code: '' }, validate);
  const call = useCall();
  const CodeField = numeric ? DigitsField : LettersField;

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (call.busy || !fields.check()) return;
    const answer = await call.run(() => redeem(fields.values.code));
    if ('data' in answer) onDone();
    else if (answer.problem.field === 'code') fields.refuse({ code: wrong });
  }

  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      {call.problem?.field === 'code' ? null : <ProblemNotice problem={call.problem} />}
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      <CodeField label={label} {...fields.input('code')} />
      <Button type="submit" block busy={call.busy} busyText="Checking the code…">
        Confirm
      </Button>
    </form>
  );
}
