/**
 * Asks a member of staff for the second step once more, where a call wants it newer than it is. The
 * dialog's code comes with the first such call.
 */
import { useEffect, useState } from 'react';
import { importWithRetry } from '@/lib/import-with-retry';
import { askThrough } from '@/lib/second-step';
import { lazyLoader, useLazyModule } from '@/lib/use-lazy-module';

const dialog = lazyLoader(
  async () => (await importWithRetry(() => import('./second-step-dialog'))).SecondStepDialog,
);

export function SecondStepAgain() {
  const { piece: SecondStepDialog, fetch } = useLazyModule(dialog.load);
  const [answer, setAnswer] = useState<(done: boolean) => void>();

  useEffect(
    () =>
      askThrough(async () => {
        // Without the dialog the call gets its refusal, which says what to do.
        if (!(await fetch())) return false;
        return new Promise<boolean>((resolve) => {
          setAnswer(() => resolve);
        });
      }),
    [fetch],
  );

  function end(done: boolean) {
    answer?.(done);
    setAnswer(undefined);
  }

  // It stays after the first time, so that it gives the focus back when it closes.
  return SecondStepDialog ? <SecondStepDialog open={answer !== undefined} onEnd={end} /> : null;
}
