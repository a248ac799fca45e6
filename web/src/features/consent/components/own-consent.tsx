import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import { toast } from '@/components/ui/toast-store';
import { ConsentChannel, type ConsentRecord } from '@/gen/booking/v1/consent_service_pb';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { saveFile } from '@/lib/save-file';
import { formatDateTime, toDate } from '@/lib/time';
import { useConsentFile, useWithdrawConsent } from '../hooks/use-own-consent';

const WAYS: Record<ConsentChannel, string> = {
  [ConsentChannel.UNSPECIFIED]: 'Not known: it was not recorded at that time',
  [ConsentChannel.ACCOUNT]: 'With your account',
  [ConsentChannel.PAGE]: 'On the page of a booking made on the phone',
};

function Facts({ record }: { record: ConsentRecord }) {
  const zone = usePracticeZone();
  const { givenAt, withdrawnAt } = record;
  const rows = [
    { term: 'Given', value: givenAt ? formatDateTime(toDate(givenAt), zone) : '' },
    { term: 'Name', value: record.fullName },
    { term: 'Email', value: record.email },
    { term: 'Signature', value: record.signature },
    { term: 'Given by way of', value: WAYS[record.channel] ?? '' },
    { term: 'Code mailed to', value: record.codeMailedTo },
    { term: 'Network', value: record.network },
    { term: 'Browser', value: record.userAgent },
    { term: 'Withdrawn', value: withdrawnAt ? formatDateTime(toDate(withdrawnAt), zone) : '' },
  ];
  return (
    <dl className="flex flex-col divide-y divide-hairline">
      {rows
        .filter(({ value }) => value)
        .map(({ term, value }) => (
          <div key={term} className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 py-2.5">
            <dt className="text-ink-2">{term}</dt>
            <dd dir="auto" className="font-semibold wrap-anywhere numeric">
              {value}
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** What the withdrawal means, in the words that the dialog shows before it. */
function Consequences() {
  const { cancellationHours } = usePractice();
  return (
    <div className="flex flex-col gap-3">
      <p>
        From now on we don't hold online sessions with you, and we ask for your consent again when
        you book next.
      </p>
      <p>
        Sessions that you have booked are not cancelled by this. Please cancel them: until{' '}
        {cancellationHours} hours before the start you get your money back. The{' '}
        <AppLink to="/cancellation-policy" className="text-brand underline underline-offset-4">
          cancellation policy
        </AppLink>{' '}
        says how.
      </p>
      <p>We keep the record of what you agreed to, and of the day on which you withdrew it.</p>
    </div>
  );
}

function Withdraw() {
  const [asking, setAsking] = useState(false);
  const withdraw = useWithdrawConsent();

  function confirm() {
    setAsking(false);
    withdraw.mutate(undefined, {
      onSuccess: () =>
        toast({ title: 'Consent withdrawn', description: 'We have written it down.' }),
    });
  }

  return (
    <>
      <Button
        variant="secondary"
        size="sm"
        busy={withdraw.isPending}
        busyText="Withdrawing…"
        onClick={() => setAsking(true)}
      >
        Withdraw Consent
      </Button>
      {withdraw.error ? <ErrorNotice error={withdraw.error} onRetry={confirm} /> : null}
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Withdraw your consent?"
        actions={
          <>
            <Button onClick={confirm}>Yes, withdraw it</Button>
            <Button variant="secondary" onClick={() => setAsking(false)}>
              Keep it
            </Button>
          </>
        }
      >
        <Consequences />
      </Dialog>
    </>
  );
}

/** The client's own consent: what was agreed to, as a file, and the way to withdraw it. */
export function OwnConsent({ record, current }: { record: ConsentRecord; current: boolean }) {
  const file = useConsentFile(record.consentId);
  const withdrawn = record.withdrawnAt !== undefined;

  function download() {
    file.mutate(undefined, {
      onSuccess: ({ filename, content }) =>
        saveFile(filename || 'consent.txt', content, 'text/plain;charset=utf-8'),
    });
  }

  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-h3">Consent to Online Sessions</h2>
      {withdrawn ? <Alert title="You have withdrawn this consent" /> : null}
      {withdrawn || current ? null : (
        <Alert title="Our terms have changed since then">
          Your consent stands for what you agreed to. We ask for the new terms when you book next.
        </Alert>
      )}
      <Facts record={record} />
      <div className="flex flex-wrap gap-3">
        <Button
          variant="secondary"
          size="sm"
          busy={file.isPending}
          busyText="Preparing the file…"
          onClick={download}
        >
          Download Consent
        </Button>
        {withdrawn ? null : <Withdraw />}
      </div>
      {file.error ? <ErrorNotice error={file.error} onRetry={download} /> : null}
      <p className="text-sm text-ink-2">
        The file has the full text and a fingerprint that proves it came from us.
      </p>
    </Card>
  );
}
