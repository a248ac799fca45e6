import type { ReactNode } from 'react';
import { classes } from '@/lib/classes';

type PageHeadingProps = {
  children: ReactNode;
  /** A word or two above the heading. */
  eyebrow?: ReactNode;
  /** A sentence or two below it. */
  lead?: ReactNode;
  className?: string;
};

/** The page's one h1. The shell moves focus to it when the route changes. */
export function PageHeading({ children, eyebrow, lead, className }: PageHeadingProps) {
  return (
    <div className={classes('flex flex-col gap-4', className)}>
      {eyebrow ? <p className="text-sm font-semibold text-clay">{eyebrow}</p> : null}
      <h1 tabIndex={-1} className="text-h1">
        {children}
      </h1>
      {lead ? <p className="measure text-lg text-ink-2">{lead}</p> : null}
    </div>
  );
}
