import { useCallback, useId, useState } from 'react';
import { type AuthUser, signOut, useAuth } from '@/lib/auth';
import { Button } from './ui/button';
import { toast } from './ui/toast-store';
import { useDismiss } from './use-dismiss';

function displayName(user: AuthUser): string {
  return [user.firstName, user.lastName].filter(Boolean).join(' ') || user.email;
}

function initials(user: AuthUser): string {
  const letters = `${user.firstName.charAt(0)}${user.lastName.charAt(0)}`;
  return (letters || user.email.charAt(0) || '?').toUpperCase();
}

function AvatarMenu({ user }: { user: AuthUser }) {
  const [open, setOpen] = useState(false);
  const panelId = useId();
  const close = useCallback(() => setOpen(false), []);
  const ref = useDismiss<HTMLDivElement>(open, close);

  async function leave() {
    close();
    try {
      await signOut();
      toast({ title: 'Signed out', description: 'See you soon.' });
    } catch {
      toast({
        title: 'You are still signed in',
        description: 'Signing out did not work. Please try again.',
        variant: 'destructive',
      });
    }
  }

  return (
    <div ref={ref} className="relative">
      <button
        type="button"
        aria-label={`Your account, ${displayName(user)}`}
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen((was) => !was)}
        className="grid size-11 place-items-center rounded-full bg-brand text-sm font-semibold text-on-brand hover:bg-brand-strong"
      >
        {initials(user)}
      </button>
      <div
        id={panelId}
        hidden={!open}
        className="animate-rise absolute right-0 z-40 mt-2 w-64 rounded-card border border-hairline bg-surface p-4 shadow-lift"
      >
        <p className="font-semibold">{displayName(user)}</p>
        {user.firstName ? <p className="text-sm text-ink-2">{user.email}</p> : null}
        <Button variant="secondary" size="sm" block className="mt-4" onClick={leave}>
          Sign out
        </Button>
      </div>
    </div>
  );
}

type AccountMenuProps = {
  /** Below 640 px the bar has no room for two buttons: they stand in the menu instead. */
  where: 'bar' | 'menu';
  onNavigate?: () => void;
};

/** Sign In and Sign Up, or the avatar of who is signed in. */
export function AccountMenu({ where, onNavigate }: AccountMenuProps) {
  const auth = useAuth();
  const inBar = where === 'bar';
  if (auth.status === 'signed-in') return inBar ? <AvatarMenu user={auth.user} /> : null;
  return (
    <div className={inBar ? 'flex items-center gap-1 max-sm:hidden' : 'grid grid-cols-2 gap-3'}>
      <Button
        to="/sign-in"
        variant={inBar ? 'quiet' : 'secondary'}
        size="sm"
        className="whitespace-nowrap"
        onClick={onNavigate}
      >
        Sign In
      </Button>
      <Button to="/sign-up" size="sm" className="whitespace-nowrap" onClick={onNavigate}>
        Sign Up
      </Button>
    </div>
  );
}
