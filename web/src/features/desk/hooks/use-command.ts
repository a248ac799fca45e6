/** One command of a screen: running, refused, done, or not known to be done. */
import { useMutation } from '@tanstack/react-query';
import { type Command, NotSure, sendSurely } from '../command';

export type Commanding<Input> = {
  run: (input: Input) => void;
  busy: boolean;
  /** Why it was refused. */
  error: unknown;
  /** No answer came: it may have been done. */
  notSure: boolean;
  reset: () => void;
};

export function useCommand<Input, Answer>(
  make: (input: Input) => Command<Answer>,
  onDone: (answer: Answer, input: Input) => void,
  /** What was shown may be old. */
  onFailed?: () => void,
): Commanding<Input> {
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (input: Input) => sendSurely(make(input)),
    onSuccess: onDone,
    onError: (cause) => {
      if (!(cause instanceof NotSure)) onFailed?.();
    },
  });
  const notSure = error instanceof NotSure;
  return {
    run: mutate,
    busy: isPending,
    error: notSure ? null : error,
    notSure,
    reset,
  };
}
