import { useCallback, useEffect, useId, useState } from 'react';
import { useLocation } from 'react-router';
import { useAuth } from '@/lib/auth';
import { classes } from '@/lib/classes';
import { usePractice } from '@/lib/practice';
import { AccountMenu } from './account-menu';
import { LoadProgress } from './load-progress';
import { Logo } from './logo';
import type { LinksAt, NavLink } from './navigation';
import { OfflineBanner } from './offline-banner';
import { SiteLink } from './site-link';
import { ThemeToggle } from './theme-toggle';
import { useDismiss } from './use-dismiss';

/**
 * What has room in the bar is asked of the bar itself, in the measure of its letters, so that larger
 * letters count as a narrower screen; only the links wait for 768 px as well.
 */
const LINKS_FIT = 'hidden md:@[47rem]/header:flex';
const LINKS_DO_NOT_FIT = 'md:@[47rem]/header:hidden';

const LINK =
  'inline-flex min-h-11 items-center rounded-full px-2 text-sm font-semibold whitespace-nowrap ' +
  'text-ink-2 hover:text-brand aria-[current=page]:text-brand @[74rem]/header:px-3.5';

/** The mark is the first to go where the bar is narrow; the name is never cut. */
const MARK = '@max-[21rem]/header:hidden group-has-data-avatar/header:@max-[26rem]/header:hidden';

function LinkList({ links, className }: { links: readonly NavLink[]; className?: string }) {
  return (
    <ul className={classes('items-center', LINKS_FIT, className)}>
      {links.map(({ to, label }) => (
        <li key={to}>
          <SiteLink to={to} className={LINK}>
            {label}
          </SiteLink>
        </li>
      ))}
    </ul>
  );
}

function MenuButton({ open, controls, onPress }: MenuButtonProps) {
  return (
    <button
      type="button"
      aria-label={open ? 'Close menu' : 'Open menu'}
      aria-expanded={open}
      aria-controls={controls}
      onClick={onPress}
      className={classes(
        '-ml-2 grid size-11 place-items-center rounded-full hover:bg-sunken',
        LINKS_DO_NOT_FIT,
      )}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true" className="size-6">
        <path
          d={open ? 'M6 6l12 12M18 6L6 18' : 'M4 8h16M4 16h16'}
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
        />
      </svg>
    </button>
  );
}

type MenuButtonProps = { open: boolean; controls: string; onPress: () => void };

type MobileMenuProps = {
  id: string;
  open: boolean;
  links: readonly NavLink[];
  onNavigate: () => void;
};

const MENU_LINK = 'flex min-h-14 items-center font-display text-h3 aria-[current=page]:text-brand';

/** The first way of a person who is signed in. */
function OwnSessions({ onNavigate }: Pick<MobileMenuProps, 'onNavigate'>) {
  const { status } = useAuth();
  if (status !== 'signed-in') return null;
  return (
    <li className="border-b border-hairline">
      <SiteLink to="/account/sessions" onClick={onNavigate} className={MENU_LINK}>
        Your sessions
      </SiteLink>
    </li>
  );
}

function MobileMenu({ id, open, links, onNavigate }: MobileMenuProps) {
  return (
    <div
      id={id}
      hidden={!open}
      className={classes(
        'animate-rise absolute inset-x-0 top-full max-h-[calc(100dvh-7.5rem)] overflow-y-auto',
        'overscroll-contain border-b border-hairline bg-paper shadow-lift',
        LINKS_DO_NOT_FIT,
      )}
    >
      <ul className="container-page flex flex-col py-3">
        <OwnSessions onNavigate={onNavigate} />
        {links.map(({ to, label }) => (
          <li key={to} className="border-b border-hairline last:border-0">
            <SiteLink to={to} onClick={onNavigate} className={MENU_LINK}>
              {label}
            </SiteLink>
          </li>
        ))}
        <li className="@[30rem]/header:hidden">
          <ThemeToggle where="menu" />
        </li>
      </ul>
      <div className="container-page pb-5 empty:hidden @[40rem]/header:hidden">
        <AccountMenu where="menu" onNavigate={onNavigate} />
      </div>
    </div>
  );
}

/** The primary button of ui/button.tsx, as a link that scrolls to the top of its own page. */
const BOOK =
  'inline-flex min-h-11 items-center justify-center rounded-full border border-transparent ' +
  'bg-brand px-3.5 text-center text-sm leading-tight font-semibold whitespace-nowrap ' +
  'text-on-brand no-underline shadow-soft transition-colors duration-150 hover:bg-brand-strong ' +
  '@max-[21rem]/header:px-2 @max-[13rem]/header:whitespace-normal';

/**
 * The way to a session. It leads to the services, because a booking begins with the choice of one:
 * the booking flow without a service would only send its visitor there.
 */
function BookButton({ onNavigate }: { onNavigate: () => void }) {
  return (
    <SiteLink to="/services" onClick={onNavigate} className={BOOK}>
      Book a session
    </SiteLink>
  );
}

const BAR =
  'container-page flex min-h-18 flex-wrap items-center gap-x-1 py-2 @[24rem]/header:gap-x-2 ' +
  'md:@[47rem]/header:grid md:@[47rem]/header:grid-cols-[1fr_auto_1fr]';

/**
 * Three links, the logo, three links; below 768 px a menu with all six. In between, and with large
 * letters, what does not fit stands in a second row.
 */
export function Header({ linksAt }: { linksAt: LinksAt }) {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const { name } = usePractice();
  const menuId = useId();
  const close = useCallback(() => setOpen(false), []);
  const ref = useDismiss<HTMLElement>(open, close);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu.
  useEffect(() => setOpen(false), [pathname]);

  return (
    <header
      ref={ref}
      className="group/header @container/header sticky top-0 z-40 border-b border-hairline bg-paper max-[19em]:relative print:hidden"
    >
      <nav aria-label="Main" className={BAR}>
        <MenuButton open={open} controls={menuId} onPress={() => setOpen((was) => !was)} />
        <LinkList links={linksAt('headerLeft')} className="-ml-2 @[74rem]/header:-ml-3.5" />
        <SiteLink
          to="/"
          aria-label={`${name}, to the start`}
          onClick={close}
          className="flex rounded-input p-1"
        >
          <Logo markClassName={MARK} />
        </SiteLink>
        <div className="contents @[62rem]/header:flex @[62rem]/header:items-center @[62rem]/header:justify-end @[62rem]/header:gap-1">
          <LinkList links={linksAt('headerRight')} className="justify-self-end" />
          <div className="ml-auto flex items-center gap-1.5 md:@[47rem]/header:@max-[62rem]/header:col-span-3">
            <ThemeToggle where="bar" className="@max-[30rem]/header:hidden" />
            <AccountMenu where="bar">
              <BookButton onNavigate={close} />
            </AccountMenu>
          </div>
        </div>
        <MobileMenu
          id={menuId}
          open={open}
          links={[...linksAt('headerLeft'), ...linksAt('headerRight')]}
          onNavigate={close}
        />
      </nav>
      <OfflineBanner />
      <LoadProgress />
    </header>
  );
}
