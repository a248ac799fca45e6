import { Button } from '@/components/ui/button';
import { AccountStep } from '@/features/account/components/account-step';
import { bookPath } from '@/features/booking/book-page/book-url';
import { Chosen } from '@/features/booking/book-page/components/chosen';
import type { Book } from '@/features/booking/book-page/hooks/use-book';
import type { ClientConsent } from '@/features/consent/hooks/use-client-consent';

type AuthScreenProps = { book: Book; consent: ClientConsent };

/** "Sign In Required": the booking belongs to an account; the forms stand here, on this page. */
export function AuthScreen({ book, consent }: AuthScreenProps) {
  const { moves, setRedeeming } = book;
  const { url } = moves;
  const { fullName, email } = consent.form.fields.values;
  const cancel = (
    <Button
      variant="quiet"
      size="sm"
      onClick={() =>
        moves.push({ step: undefined, bookingId: '', cancelled: true, returned: false })
      }
    >
      Cancel
    </Button>
  );
  return (
    <div className="flex flex-col gap-6">
      <Chosen book={book} />
      <p className="measure">
        You need an account, so that only you can see your bookings. A code that we send to your
        email opens it, and you go on right here.
      </p>
      <AccountStep
        back={bookPath(url)}
        known={{ name: fullName, email }}
        onRedeeming={setRedeeming}
        cancel={cancel}
      />
    </div>
  );
}
