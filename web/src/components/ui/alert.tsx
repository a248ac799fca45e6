import type { ReactNode } from 'react';
import { classes } from '@/lib/classes';
import { callReference } from '@/lib/reference';

export type AlertTone = 'info' | 'ok' | 'warn' | 'error';

const TONES: Record<AlertTone, string> = {
  info: 'bg-brand-soft text-brand',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  error: 'bg-err-soft text-err',
};

const MARKS: Record<AlertTone, string> = {
  info: 'M10 9v5M10 6.2v.1',
  ok: 'M6 10.4l2.7 2.7L14 7.6',
  warn: 'M10 5.5v5.5M10 14v.1',
  error: 'M7 7l6 6M13 7l-6 6',
};

export type AlertProps = {
  tone?: AlertTone;
  title?: ReactNode;
  children?: ReactNode;
  /** Buttons or links below the words. */
  action?: ReactNode;
  /** Announce it when it appears; leave out for what is part of the page from the start. */
  live?: boolean;
  className?: string;
};

/** A message that stays on the page. */
export function Alert({ tone = 'info', title, children, action, live, className }: AlertProps) {
  const role = live ? (tone === 'error' ? 'alert' : 'status') : undefined;
  return (
    <div role={role} className={classes('flex gap-3 rounded-card p-4', TONES[tone], className)}>
      <svg viewBox="0 0 20 20" aria-hidden="true" className="mt-1 size-5 shrink-0">
        <circle cx="10" cy="10" r="9" fill="none" stroke="currentColor" strokeWidth="1.6" />
        <path
          d={MARKS[tone]}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        {title ? <p className="font-semibold">{title}</p> : null}
        {children ? <div className="text-ink">{children}</div> : null}
        {/* A label that cannot break, a phone number, is no wider than the notice. */}
        {action ? <div className="flex flex-wrap gap-3 pt-1 *:min-w-0">{action}</div> : null}
      </div>
    </div>
  );
}

/** A person quotes it in a message about a fault, so that the fault is found in the logs. */
export function Reference({ id }: { id: string | undefined }) {
  if (!id) return null;
  return (
    <p className="mt-1 text-sm text-ink-2">
      If you write to us about this, please quote{' '}
      <span className="font-semibold break-all numeric">{callReference(id)}</span>.
    </p>
  );
}
