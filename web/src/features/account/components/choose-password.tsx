import { setFlashToast } from '@/components/ui/flash-toast';
import { AccountFrame } from './account-frame';
import { NewPasswordForm } from './recover-form';

/** Follows the proof of an address in a browser that has not made the account: its password is gone. */
export function ChoosePassword({ onDone }: { onDone: () => void }) {
  function done() {
    setFlashToast({ title: 'Password saved', description: 'You are signed in.' });
    onDone();
  }

  return (
    <AccountFrame
      title="Choose a Password"
      lead="Your email is confirmed. To keep your account safe, choose a password now."
    >
      <NewPasswordForm onDone={done} />
    </AccountFrame>
  );
}
