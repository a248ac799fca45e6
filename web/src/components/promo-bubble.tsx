import { useCallback, useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { useAuth } from '@/lib/auth';
import { AppLink } from './ui/app-link';
import { CloseButton } from './ui/close-button';

export const PROMO_DELAY_MS = 2000;
export const PROMO_KEY = 'promoBubbleDismissed';

/** No invitation on the pages of signing in and signing up, nor during a booking. */
const QUIET = [
  ...['/booking-flow', '/book', '/book-session', '/pay/booking'],
  ...['/sign-in', '/sign-up', '/recover', '/confirm', '/account'],
];

/** What Escape closes first while it is open. */
const IN_FRONT = 'dialog[open], header [aria-expanded="true"]';

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(PROMO_KEY) !== null;
  } catch {
    return false;
  }
}

function rememberDismissal(): void {
  try {
    localStorage.setItem(PROMO_KEY, 'true');
  } catch {
    // Storage can be refused; it then stays away until the next full load.
  }
}

/** Whether it is due, two seconds after the load, and how it is sent away for good. */
function usePromo() {
  const [due, setDue] = useState(false);

  useEffect(() => {
    if (wasDismissed()) return;
    const timer = setTimeout(() => setDue(true), PROMO_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);

  const dismiss = useCallback(() => {
    setDue(false);
    rememberDismissal();
  }, []);

  return { due, dismiss };
}

/** A bubble under Sign In and Sign Up; where these have no room, a card at the bottom edge. */
const PLACE =
  'fixed inset-x-3 bottom-[max(0.75rem,env(safe-area-inset-bottom))] z-30 ' +
  'lg:absolute lg:inset-x-auto lg:top-1.5 lg:right-10 lg:bottom-auto lg:w-[27rem]';

/** Above a page's own bar, and out of the way of everything that opens. */
const MANNERS =
  '[html:has([data-bottom-bar])_&]:bottom-24 lg:[html:has([data-bottom-bar])_&]:bottom-auto ' +
  '[html:has(dialog[open])_&]:hidden print:hidden';

const CARD =
  'animate-rise flex items-center gap-2 rounded-card border border-hairline bg-surface ' +
  'py-1.5 pr-1.5 pl-4 shadow-lift';

function Tail() {
  return (
    <span
      aria-hidden="true"
      className="absolute -top-1.5 right-42 size-3 rotate-45 border-t border-l border-hairline bg-surface max-lg:hidden"
    />
  );
}

/**
 * Invites visitors to make an account, once. It takes no focus, moves nothing, and scrolls away
 * with the top of the page, so that it never lies on what is read.
 */
export function PromoBubble() {
  const { status } = useAuth();
  const { pathname } = useLocation();
  const { due, dismiss } = usePromo();
  const shown = due && status === 'signed-out' && !QUIET.includes(pathname);

  useEffect(() => {
    if (!shown) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector(IN_FRONT)) dismiss();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [shown, dismiss]);

  return (
    <div aria-live="polite" className="container-page relative z-30 h-0">
      {shown ? (
        <aside data-promo="" aria-label="Invitation" className={`${PLACE} ${MANNERS}`}>
          <Tail />
          <div className={CARD}>
            <p className="flex-1 text-xs leading-snug text-ink lg:text-sm">
              Join our community! Sign up for personalized healing sessions and track your wellness
              journey.{' '}
              <AppLink to="/sign-up" className="font-semibold text-brand underline lg:hidden">
                Create your account
              </AppLink>
            </p>
            <CloseButton label="Hide this invitation" onClick={dismiss} className="text-ink-2" />
          </div>
        </aside>
      ) : null}
    </div>
  );
}
