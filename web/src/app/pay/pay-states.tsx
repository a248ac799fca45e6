import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { usePractice } from '@/lib/practice';

/** An address whose key is not right. */
export function WrongAddress() {
  const { phone } = usePractice();
  return (
    <Alert
      tone="warn"
      title="This address is not complete"
      action={
        <Button href={`tel:${phone}`} size="sm">
          Call us
        </Button>
      }
    >
      Please open the link in our mail again, or copy all of it. Nothing was charged.
    </Alert>
  );
}
