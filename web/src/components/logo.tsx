import { classes } from '@/lib/classes';
import { usePractice } from '@/lib/practice';

/** The practice's mark: a breath between two leaves. */
export function LogoMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 40 40" aria-hidden="true" className={className}>
      <circle cx="20" cy="20" r="19" fill="var(--brand-soft)" />
      <g fill="var(--brand)">
        <path d="M20 33C11 29 8.5 20.5 11 12c6 3 9.5 10 9 21Z" fillOpacity="0.85" />
        <path d="M20 33c9-4 11.5-12.5 9-21-6 3-9.5 10-9 21Z" fillOpacity="0.5" />
      </g>
      <circle cx="20" cy="10" r="3.2" fill="var(--clay)" />
    </svg>
  );
}

type LogoProps = {
  /** Where there is no room for both, the mark goes and the name stays. */
  markClassName?: string;
};

/** Mark and name. */
export function Logo({ markClassName }: LogoProps) {
  const { name } = usePractice();
  return (
    <span className="inline-flex items-center gap-2.5">
      <LogoMark className={classes('size-9', markClassName)} />
      <span className="font-display text-[1.5rem] leading-none font-semibold tracking-tight">
        {name}
      </span>
    </span>
  );
}
