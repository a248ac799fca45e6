import { useSlowLoad } from '@/lib/chunk-loads';

/** A line below the header while the next page is loading slowly, and a text for screen readers. */
export function LoadProgress() {
  const slow = useSlowLoad();
  return (
    <div aria-live="polite" className="pointer-events-none absolute inset-x-0 top-full">
      {slow ? (
        <>
          <span className="sr-only">Loading the page…</span>
          <span aria-hidden="true" className="block h-0.5 overflow-hidden bg-brand-soft">
            <span className="animate-pulse-soft block h-full w-full bg-brand" />
          </span>
        </>
      ) : null}
    </div>
  );
}
