import { useSyncExternalStore } from 'react';
import { currentTheme, subscribeToTheme, toggleTheme } from '@/lib/theme';

/** Switches between light and dark. Which picture shows is decided by CSS, before hydration too. */
export function ThemeToggle() {
  const theme = useSyncExternalStore(subscribeToTheme, currentTheme, () => 'light' as const);
  return (
    <button
      type="button"
      onClick={toggleTheme}
      aria-label="Dark theme"
      aria-pressed={theme === 'dark'}
      title="Switch between light and dark"
      className="grid size-11 place-items-center rounded-full text-ink-2 hover:bg-sunken hover:text-ink"
    >
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
    </button>
  );
}
