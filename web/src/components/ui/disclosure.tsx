import type { ReactNode } from 'react';

type DisclosureProps = { summary: ReactNode; children: ReactNode };

/** A question that opens to its answer; a native one, so that it works before any script runs. */
export function Disclosure({ summary, children }: DisclosureProps) {
  return (
    <details className="group border-b border-hairline">
      <summary className="flex min-h-16 list-none items-center justify-between gap-6 py-4 font-semibold hover:text-brand [&::-webkit-details-marker]:hidden">
        {summary}
        <svg
          viewBox="0 0 20 20"
          aria-hidden="true"
          className="size-9 shrink-0 rounded-full bg-brand-soft p-2.5 text-brand transition-transform duration-200 ease-calm group-open:rotate-45"
        >
          <path d="M10 3v14M3 10h14" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
        </svg>
      </summary>
      <div className="measure pb-6 text-ink-2">{children}</div>
    </details>
  );
}
