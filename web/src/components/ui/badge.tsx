import type { ReactNode } from 'react';
import { classes } from '@/lib/classes';

export type BadgeTone = 'leaf' | 'clay' | 'plum' | 'neutral' | 'ok' | 'warn';

const TONES: Record<BadgeTone, string> = {
  leaf: 'bg-brand-soft text-brand',
  clay: 'bg-clay-soft text-clay',
  plum: 'bg-plum-soft text-plum',
  neutral: 'bg-sunken text-ink-2',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
};

type BadgeProps = { tone?: BadgeTone; children: ReactNode; className?: string };

/** A small pill with a fact in it. */
export function Badge({ tone = 'leaf', children, className }: BadgeProps) {
  return (
    <span
      className={classes(
        // The border shows where a person's own colours take the ground away.
        'inline-flex items-center gap-1.5 rounded-full border border-transparent px-3 py-1',
        'text-sm leading-tight font-semibold numeric',
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
