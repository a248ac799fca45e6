import { useSyncExternalStore } from 'react';
import { classes } from '@/lib/classes';
import { currentTheme, subscribeToTheme, toggleTheme } from '@/lib/theme';

function Pictures() {
  return (
    <>
      <svg viewBox="0 0 24 24" aria-hidden="true" className="size-5 dark:hidden">
        <path
          d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinejoin="round"
        />
      </svg>
      <svg viewBox="0 0 24 24" aria-hidden="true" className="hidden size-5 dark:block">
        <g fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round">
          <circle cx="12" cy="12" r="4" />
          <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4" />
        </g>
      </svg>
    </>
  );
}

type ThemeToggleProps = {
  /** The bar shows the picture alone; the menu of narrow screens has room for the words. */
  where: 'bar' | 'menu';
  className?: string;
};

const LOOKS = {
  bar: 'grid size-11 place-items-center rounded-full text-ink-2 hover:bg-sunken hover:text-ink',
  menu: 'flex min-h-14 w-full items-center justify-between text-left font-display text-h3',
};

/** Switches between light and dark. Which picture shows is decided by CSS, before hydration too. */
export function ThemeToggle({ where, className }: ThemeToggleProps) {
  const theme = useSyncExternalStore(subscribeToTheme, currentTheme, () => 'light' as const);
  const inBar = where === 'bar';
  return (
    <button
      type="button"
      onClick={toggleTheme}
      aria-label={inBar ? 'Dark theme' : undefined}
      aria-pressed={theme === 'dark'}
      title="Switch between light and dark"
      className={classes(LOOKS[where], className)}
    >
      {inBar ? null : 'Dark theme'}
      <Pictures />
    </button>
  );
}
