/**
 * The code with which a consent on the page of a booking is signed. Staff have seen the address of the
 * page, so the address alone signs nothing: the code goes to the client's mail.
 */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { TextField } from '@/components/ui/text-field';
import { PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { describeError, errorReason } from '@/lib/errors';
import { readDigits } from '@/lib/typed';

const CODE_LENGTH = 6;
/** What the server says of the code itself; it stands at the field. */
const AT_FIELD = new Set(['CONSENT_CODE_REQUIRED', 'CONSENT_CODE_WRONG', 'CONSENT_CODE_ENDED']);

export function isOfCode(error: unknown): boolean {
  return AT_FIELD.has(errorReason(error));
}

export type ConsentCode = {
  typed: string;
  setTyped: (typed: string) => void;
  /** The digits, once there are enough of them. */
  code: string | undefined;
  send: () => void;
  sending: boolean;
  sent: { validMinutes: number } | undefined;
  error: unknown;
};

export function useConsentCode(pageKey: string): ConsentCode {
  const transport = useTransport();
  const [typed, setTyped] = useState('');
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: () => createClient(PaymentPageService, transport).requestConsentCode({ pageKey }),
    onSuccess: () => setTyped(''),
  });
  const digits = readDigits(typed);
  return {
    typed,
    setTyped,
    code: digits.length === CODE_LENGTH ? digits : undefined,
    send: () => mutate(),
    sending: isPending,
    sent: data,
    error,
  };
}

type ConsentCodeCardProps = { code: ConsentCode; refused: unknown };

export function ConsentCodeCard({ code, refused }: ConsentCodeCardProps) {
  const { typed, setTyped, send, sending, sent, error } = code;
  const problem = isOfCode(refused) ? describeError(refused).message : undefined;
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-h3">Your Signature Needs a Code</h2>
      <p role="status">
        {sent
          ? `We have mailed a code to the address that you gave us for this booking. It works for ${sent.validMinutes} minutes.`
          : 'Only you can sign for yourself: we mail a code to the address that you gave us for this booking.'}
      </p>
      {sent ? (
        <TextField
          label="6-digit code"
          name="consentCode"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={typed}
          error={problem}
          onChange={(event) => setTyped(event.target.value)}
        />
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
      <Button
        variant="secondary"
        size="sm"
        className="self-start"
        busy={sending}
        busyText="Sending…"
        onClick={send}
      >
        {sent ? 'Send a new code' : 'Send me a code'}
      </Button>
    </Card>
  );
}
