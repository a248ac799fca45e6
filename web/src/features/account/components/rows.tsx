/** A list of things with what can be done to each. */
import { Children, type ReactNode } from 'react';
import { usePracticeZone } from '@/lib/practice';
import { formatDateTime } from '@/lib/time';

type RowsProps = {
  /** What is said in the place of an empty list. */
  empty: string;
  children: ReactNode;
};

export function Rows({ empty, children }: RowsProps) {
  if (Children.count(children) === 0) return <p className="text-ink-2">{empty}</p>;
  return <ul className="flex flex-col divide-y divide-hairline">{children}</ul>;
}

type RowProps = { title: ReactNode; note: ReactNode; children?: ReactNode };

export function Row({ title, note, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-3">
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{title}</p>
        <div className="text-sm text-ink-2 wrap-anywhere numeric">{note}</div>
      </div>
      {children ? <div className="-mr-4 flex flex-wrap">{children}</div> : null}
    </li>
  );
}

type SinceProps = { words: string; at: string | null };

/** "Added Tuesday, 24 November 2026 at 11:00 am IST"; nothing where the time is not known. */
export function Since({ words, at }: SinceProps) {
  const zone = usePracticeZone();
  const date = at ? new Date(at) : undefined;
  if (!date || Number.isNaN(date.getTime())) return null;
  return (
    <span>
      {words} {formatDateTime(date, zone)}
    </span>
  );
}
