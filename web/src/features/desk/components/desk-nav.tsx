/** The desk's ways: a bar at the bottom edge of a phone, a rail at the left of a wide screen. */
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { AppLink } from '@/components/ui/app-link';
import { classes } from '@/lib/classes';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader, useLazyModule } from '@/lib/use-lazy-module';
import type { DeskMember } from '../member';

type Way = {
  to: string;
  label: string;
  picture: string;
  also?: readonly string[];
  /** Only in the rail of a wide screen: a phone's bar has five ways, and More leads to the others. */
  wide?: true;
};

const TASKS = '/desk/tasks';

const WAYS: readonly Way[] = [
  {
    to: '/desk',
    label: 'Today',
    picture: 'M5 6h14v13H5zM5 10h14M9 4v3M15 4v3',
    also: ['/desk/day'],
  },
  {
    to: '/desk/calendar',
    label: 'Calendar',
    picture: 'M4 5h16v15H4zM4 10h16M9.3 10v10M14.7 10v10',
  },
  { to: '/desk/new', label: 'Book', picture: 'M12 5v14M5 12h14' },
  {
    to: '/desk/find',
    label: 'Find',
    picture: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
    wide: true,
  },
  { to: TASKS, label: 'Tasks', picture: 'M4 7l2 2 3-4M12 7h8M4 17l2 2 3-4M12 17h8' },
  { to: '/desk/more', label: 'More', picture: 'M4 7h16M4 12h16M4 17h16' },
];

const badge = lazyLoader(
  async () => (await importWithRetry(() => import('./task-badge'))).TaskBadge,
);

const NAV =
  'fixed inset-x-0 bottom-0 z-30 border-t border-hairline bg-surface ' +
  'pb-[env(safe-area-inset-bottom)] lg:sticky lg:top-18 lg:bottom-auto lg:h-[calc(100dvh-4.5rem)] ' +
  'lg:w-52 lg:shrink-0 lg:border-t-0 lg:border-r lg:bg-transparent lg:p-4 print:hidden';

const LINK =
  'flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 px-1 text-xs font-semibold ' +
  'text-ink-2 no-underline hover:text-brand aria-[current=page]:text-brand ' +
  'lg:min-h-11 lg:flex-row lg:justify-start lg:gap-3 lg:rounded-full lg:px-4 lg:text-sm ' +
  'lg:hover:bg-sunken lg:aria-[current=page]:bg-brand-soft';

function isAt({ to, also = [] }: Way, pathname: string): boolean {
  return pathname === to || also.some((start) => pathname.startsWith(start));
}

function Picture({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className="size-6 shrink-0">
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** Tasks are nine calls: they leave the line to what was opened, which is there by then. */
const TASKS_AFTER_MS = 5_000;

/** How many tasks wait; without its code there is only the way. */
function Waiting() {
  const { piece: TaskBadge, fetch } = useLazyModule(badge.load);
  useEffect(() => {
    const handle = window.setTimeout(() => void fetch(), TASKS_AFTER_MS);
    return () => window.clearTimeout(handle);
  }, [fetch]);
  return TaskBadge ? <TaskBadge /> : null;
}

/** For a member the way to the tasks says how many there are. */
export function DeskNav({ member }: { member: DeskMember | undefined }) {
  const { pathname } = useLocation();
  return (
    <nav aria-label="Desk" data-bottom-bar="" className={NAV}>
      <ul className="flex lg:flex-col lg:gap-1">
        {WAYS.map((way) => (
          <li key={way.to} className={classes('flex flex-1', way.wide && 'max-lg:hidden')}>
            <AppLink
              to={way.to}
              aria-current={isAt(way, pathname) ? 'page' : undefined}
              className={classes(LINK)}
            >
              <Picture path={way.picture} />
              <span className="inline-flex items-center gap-1">
                {way.label}
                {way.to === TASKS && member ? <Waiting /> : null}
              </span>
            </AppLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
