import { classes } from '@/lib/classes';

/** A resting shape in the place and size of what is being loaded. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={classes('animate-pulse-soft block rounded-input bg-sunken', className)}
    />
  );
}
