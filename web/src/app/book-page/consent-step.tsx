import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ConsentScreen } from '@/features/consent/components/consent-screen';
import { Chosen } from './chosen';
import type { Book } from './use-book';

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
function Again({ book }: { book: Book }) {
  const before = book.own.data?.consent;
  if (!before) return null;
  return (
    <Alert title={before.withdrawnAt ? 'You withdrew your consent' : 'Our terms have changed'}>
      Please read them, and agree again to book this session.
    </Alert>
  );
}

export function ConsentStep({ book }: { book: Book }) {
  const { moves, user, consentForm, setSigned } = book;
  return (
    <ConsentScreen
      form={consentForm}
      onAccept={(consent) => {
        setSigned(consent);
        if (user) moves.push({ step: 'payment' });
        else moves.push({ step: 'auth', returned: true });
      }}
      onBack={() => moves.push({ step: undefined, cancelled: false, returned: false })}
    >
      <Chosen book={book} />
      <Again book={book} />
      <KnownClient book={book} />
    </ConsentScreen>
  );
}
