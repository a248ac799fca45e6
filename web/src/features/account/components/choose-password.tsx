import { carryToast } from '@/components/ui/carried-toast';
import { AccountFrame } from './account-frame';
import { NewPasswordForm } from './recover-form';

/** An address was confirmed by somebody who has not shown that they made the account's password. */
export function ChoosePassword({ onDone }: { onDone: () => void }) {
  function done() {
    carryToast({ title: 'Password saved', description: 'You are signed in.' });
    onDone();
  }

  return (
    <AccountFrame
      title="Choose a Password"
      lead="Your email is confirmed. To be sure that nobody else knows your password, choose it here."
    >
      <NewPasswordForm onDone={done} />
    </AccountFrame>
  );
}
