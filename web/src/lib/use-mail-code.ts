/** A code of six digits that is mailed to the address of a booking, and typed here. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { describeError } from './errors';
import { readDigits } from './typed';

const CODE_LENGTH = 6;

export type MailCode = {
  typed: string;
  setTyped: (typed: string) => void;
  /** The digits, once there are enough of them. */
  code: string | undefined;
  send: () => void;
  sending: boolean;
  /** The last mail that is known to be on its way. */
  sent: { validMinutes: number } | undefined;
  /** Whether digits can be typed: a code was mailed, or may have been. */
  canType: boolean;
  error: unknown;
};

/** The request's answer was lost, or the mails of before are too many already. */
function mayBeMailed(error: unknown): boolean {
  const { lost, reason } = describeError(error);
  return lost || reason === 'TOO_MANY_PAGE_CODES' || reason === 'TOO_MANY_CONSENT_CODES';
}

export function useMailCode(request: () => Promise<{ validMinutes: number }>): MailCode {
  const [typed, setTyped] = useState('');
  // A later request that fails does not take the code of the last mail away.
  const [sent, setSent] = useState<MailCode['sent']>();
  const [canType, setCanType] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: request,
    onSuccess: (answer) => {
      setTyped('');
      setSent(answer);
      setCanType(true);
    },
    onError: (cause) => setCanType((before) => before || mayBeMailed(cause)),
  });
  const digits = readDigits(typed);
  return {
    typed,
    setTyped,
    code: digits.length === CODE_LENGTH ? digits : undefined,
    send: () => mutate(),
    sending: isPending,
    sent,
    canType,
    error,
  };
}
