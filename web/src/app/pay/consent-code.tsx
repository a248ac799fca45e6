/**
 * The code with which a consent on the page of a booking is signed. Staff have seen the address of the
 * page, so the address alone signs nothing: the code goes to the client's mail.
 */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { MailCodeForm } from '@/components/mail-code-form';
import { Card } from '@/components/ui/card';
import { PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { describeError, errorReason } from '@/lib/errors';
import { type MailCode, useMailCode } from '@/lib/use-mail-code';

/** What the server says of the code itself; it stands at the field. */
const AT_FIELD = new Set(['CONSENT_CODE_REQUIRED', 'CONSENT_CODE_WRONG', 'CONSENT_CODE_ENDED']);

export function isOfCode(error: unknown): boolean {
  return AT_FIELD.has(errorReason(error));
}

export function useConsentCode(pageKey: string): MailCode {
  const transport = useTransport();
  return useMailCode(() =>
    createClient(PaymentPageService, transport).requestConsentCode({ pageKey }),
  );
}

export function ConsentCodeCard({ code, refused }: { code: MailCode; refused: unknown }) {
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-h3">Your Signature Needs a Code</h2>
      <MailCodeForm
        mailCode={code}
        name="consentCode"
        before="Only you can sign for yourself: we mail a code to the address that you gave us for this booking."
        after="We have mailed a code to the address that you gave us for this booking."
        problem={isOfCode(refused) ? describeError(refused).message : undefined}
      />
    </Card>
  );
}
