import { useAdminPanel } from '../hooks/use-admin-panel';

/** At the end of every page. The panel itself is loaded when it is opened. */
export function AdminButton() {
  const { open, panel } = useAdminPanel();
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={open}
        className="inline-flex min-h-11 min-w-12 items-center justify-center gap-2 rounded-full border border-control bg-surface px-4 text-xs leading-none font-semibold text-ink-2 hover:border-brand hover:text-brand xl:flex-col xl:gap-1 xl:rounded-card xl:px-1 xl:py-2 xl:shadow-soft"
      >
        <svg viewBox="0 0 20 20" aria-hidden="true" className="size-4.5">
          <path
            d="M5.5 9V6.5a4.5 4.5 0 0 1 9 0V9M4 9h12v8H4zM10 12v2"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.6"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
        Admin
      </button>
      {panel}
    </>
  );
}
