import type { HTMLAttributes } from 'react';
import { classes } from '@/lib/classes';

/** A raised sheet of paper. */
export function Card({ className, ...rest }: HTMLAttributes<HTMLDivElement>) {
  return (
    <div
      {...rest}
      className={classes(
        'rounded-card border border-hairline bg-surface p-6 shadow-soft',
        className,
      )}
    />
  );
}
