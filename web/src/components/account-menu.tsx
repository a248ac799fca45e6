import { type ReactNode, useCallback, useId, useState } from 'react';
import { type AuthUser, signOut, useAuth } from '@/lib/auth';
import { initials } from '@/lib/initials';
import { useShownAddress } from '@/lib/use-shown-address';
import { AppLink } from './ui/app-link';
import { Button } from './ui/button';
import { toast } from './ui/toast-store';
import { useDismiss } from './use-dismiss';
import { useIsMember } from './use-is-member';

const LINKS = [
  { to: '/account/sessions', label: 'Your sessions' },
  { to: '/account', label: 'Account settings' },
  { to: '/consent', label: 'Your consent' },
];
const MEMBER_LINKS = [
  { to: '/desk', label: 'Desk' },
  ...LINKS,
  { to: '/organisation', label: "The practice's members" },
];

function AvatarMenu({ user }: { user: AuthUser }) {
  const [open, setOpen] = useState(false);
  const panelId = useId();
  const close = useCallback(() => setOpen(false), []);
  const ref = useDismiss<HTMLDivElement>(open, close);
  const address = useShownAddress(user.email);
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ') || address;
  const links = useIsMember(user.id, open) ? MEMBER_LINKS : LINKS;

  function leave() {
    close();
    signOut('links');
    toast({ title: 'Signed out', description: 'See you soon.' });
  }

  return (
    <div ref={ref} data-avatar="" className="relative">
      <button
        type="button"
        aria-label={`Your account, ${name}`}
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen((was) => !was)}
        className="grid size-11 place-items-center rounded-full border border-transparent bg-brand text-sm font-semibold text-on-brand hover:bg-brand-strong"
      >
        {initials(user)}
      </button>
      <div
        id={panelId}
        hidden={!open}
        className="animate-rise absolute right-0 z-40 mt-2 w-64 max-w-[calc(100vw-2.5rem)] rounded-card border border-hairline bg-surface p-4 shadow-lift"
      >
        <p className="font-semibold">
          <bdi>{name}</bdi>
        </p>
        {user.firstName ? <p className="text-sm text-ink-2">{address}</p> : null}
        <ul className="mt-2">
          {links.map(({ to, label }) => (
            <li key={to}>
              <AppLink
                to={to}
                onClick={close}
                className="inline-flex min-h-11 items-center font-semibold text-brand hover:underline"
              >
                {label}
              </AppLink>
            </li>
          ))}
        </ul>
        <Button variant="secondary" size="sm" block className="mt-2" onClick={leave}>
          Sign out
        </Button>
      </div>
    </div>
  );
}

type AccountMenuProps = {
  /** A narrow bar has no room for two buttons: they are in the menu instead. */
  where: 'bar' | 'menu';
  onNavigate?: () => void;
  /** Shown at the outer end of the bar, before the avatar. */
  children?: ReactNode;
};

/** Sign In and Sign Up, or the avatar of the signed-in person. */
export function AccountMenu({ where, onNavigate, children }: AccountMenuProps) {
  const auth = useAuth();
  const inBar = where === 'bar';
  if (auth.status === 'signed-in') {
    if (!inBar) return null;
    return (
      <>
        {children}
        <AvatarMenu user={auth.user} />
      </>
    );
  }
  // The avatar's place, so that a signed-in person doesn't see Sign In for a moment.
  if (auth.status === 'unknown' && auth.returning) {
    if (!inBar) return null;
    return (
      <>
        {children}
        <div aria-hidden="true" className="size-11 rounded-full bg-hairline" />
      </>
    );
  }
  const place = inBar ? 'hidden items-center gap-1 @[40rem]/header:flex' : 'grid grid-cols-2 gap-3';
  return (
    <>
      <div className={place}>
        <Button
          to="/sign-in"
          variant={inBar ? 'quiet' : 'secondary'}
          size="sm"
          className="whitespace-nowrap"
          onClick={onNavigate}
        >
          Sign In
        </Button>
        <Button
          to="/sign-up"
          variant="secondary"
          size="sm"
          className="whitespace-nowrap"
          onClick={onNavigate}
        >
          Sign Up
        </Button>
      </div>
      {children}
    </>
  );
}
