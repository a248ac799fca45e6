import { useCallback, useEffect, useId, useState } from 'react';
import { useLocation } from 'react-router';
import { classes } from '@/lib/classes';
import { usePractice } from '@/lib/practice';
import { AccountMenu } from './account-menu';
import { LoadProgress } from './load-progress';
import { Logo } from './logo';
import { LEFT_LINKS, type NavLink, RIGHT_LINKS } from './navigation';
import { OfflineBanner } from './offline-banner';
import { SiteLink } from './site-link';
import { ThemeToggle } from './theme-toggle';
import { useDismiss } from './use-dismiss';

const LINK =
  'inline-flex min-h-11 items-center rounded-full px-2 text-sm font-semibold whitespace-nowrap ' +
  'text-ink-2 hover:text-brand aria-[current=page]:text-brand lg:px-3.5';

function LinkList({ links, className }: { links: readonly NavLink[]; className?: string }) {
  return (
    <ul className={classes('flex items-center max-md:hidden', className)}>
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
      className="-ml-2 grid size-11 place-items-center rounded-full hover:bg-sunken md:hidden"
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

function MobileMenu({
  id,
  open,
  onNavigate,
}: {
  id: string;
  open: boolean;
  onNavigate: () => void;
}) {
  return (
    <div
      id={id}
      hidden={!open}
      className="animate-rise absolute inset-x-0 top-full border-b border-hairline bg-paper shadow-lift md:hidden"
    >
      <ul className="container-page flex flex-col py-3">
        {[...LEFT_LINKS, ...RIGHT_LINKS].map(({ to, label }) => (
          <li key={to} className="border-b border-hairline last:border-0">
            <SiteLink
              to={to}
              onClick={onNavigate}
              className="flex min-h-14 items-center font-display text-h3 aria-[current=page]:text-brand"
            >
              {label}
            </SiteLink>
          </li>
        ))}
      </ul>
      <div className="container-page pb-5 empty:hidden sm:hidden">
        <AccountMenu where="menu" onNavigate={onNavigate} />
      </div>
    </div>
  );
}

/** Three links, the logo, three links; below 768 px a menu with all six. */
export function Header() {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const { name } = usePractice();
  const menuId = useId();
  const close = useCallback(() => setOpen(false), []);
  const ref = useDismiss<HTMLElement>(open, close);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu.
  useEffect(() => setOpen(false), [pathname]);

  return (
    <header ref={ref} className="sticky top-0 z-40 border-b border-hairline bg-paper print:hidden">
      <nav
        aria-label="Main"
        className="container-page grid h-18 grid-cols-[1fr_auto_1fr] items-center gap-2"
      >
        <div className="flex items-center">
          <MenuButton open={open} controls={menuId} onPress={() => setOpen((was) => !was)} />
          <LinkList links={LEFT_LINKS} className="-ml-2 lg:-ml-3.5" />
        </div>
        <SiteLink
          to="/"
          aria-label={`${name}, to the start`}
          onClick={close}
          className="flex rounded-input p-1"
        >
          <Logo shortWhenTight />
        </SiteLink>
        <div className="flex items-center justify-end gap-1">
          <LinkList links={RIGHT_LINKS} />
          <ThemeToggle />
          <AccountMenu where="bar" />
        </div>
        <MobileMenu id={menuId} open={open} onNavigate={close} />
      </nav>
      <OfflineBanner />
      <LoadProgress />
    </header>
  );
}
