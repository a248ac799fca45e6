import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Chosen } from '@/features/booking/book-page/components/chosen';
import type { Book } from '@/features/booking/book-page/hooks/use-book';
import { ConsentScreen } from '@/features/consent/components/consent-screen';
import type { ClientConsent } from '@/features/consent/hooks/use-client-consent';

/** For clients who have an account, and may have agreed already. */
function KnownClient({ book }: { book: Book }) {
  if (book.user) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2">
      Have you booked with us before? You may have agreed already.
      <Button variant="quiet" size="sm" onClick={() => book.moves.push({ step: 'auth' })}>
        Sign In First
      </Button>
    </p>
  );
}

/** Why a client who has agreed before is asked again. */
function Again({ consent: { own } }: { consent: ClientConsent }) {
  const before = own?.consent;
  if (!before) return null;
  return (
    <Alert title={before.withdrawnAt ? 'You withdrew your consent' : 'Our terms have changed'}>
      Please read them, and agree again to book this session.
    </Alert>
  );
}

type ConsentStepProps = { book: Book; consent: ClientConsent };

export function ConsentStep({ book, consent }: ConsentStepProps) {
  const { moves, user } = book;
  return (
    <ConsentScreen
      form={consent.form}
      onAccept={(signed) => {
        consent.sign(signed);
        if (user) moves.push({ step: 'payment' });
        else moves.push({ step: 'auth', returned: true });
      }}
      onBack={() => moves.push({ step: undefined, cancelled: false, returned: false })}
    >
      <Chosen book={book} />
      <Again consent={consent} />
      <KnownClient book={book} />
    </ConsentScreen>
  );
}
