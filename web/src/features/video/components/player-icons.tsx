import { classes } from '@/lib/classes';

/** The drawings on the player's buttons, on 24 × 24; their buttons carry the names. */
const DRAWN = {
  play: 'M8 5.5v13l11-6.5Z',
  pause: 'M7 5.5h3.4v13H7ZM13.6 5.5H17v13h-3.4Z',
} as const;

const LINES = {
  back: 'M12 5.5a7.5 7.5 0 1 1-6.9 4.6M12 2.5 8.8 5.5l3.2 3',
  forward: 'M12 5.5a7.5 7.5 0 1 0 6.9 4.6M12 2.5l3.2 3-3.2 3',
  sound: 'M4 9.5v5h3.2L12 18.5v-13L7.2 9.5ZM15.4 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11',
  muted: 'M4 9.5v5h3.2L12 18.5v-13L7.2 9.5ZM16 9.5l5 5M21 9.5l-5 5',
  captions:
    'M5.5 5.5h13a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2Z' +
    'M10.6 10.6a2.1 2.1 0 1 0 0 2.8M17 10.6a2.1 2.1 0 1 0 0 2.8',
  full: 'M4.5 9.5v-5h5M19.5 9.5v-5h-5M4.5 14.5v5h5M19.5 14.5v5h-5',
  small: 'M9.5 4.5v5h-5M14.5 4.5v5h5M9.5 19.5v-5h-5M14.5 19.5v-5h5',
} as const;

export type IconName = keyof typeof DRAWN | keyof typeof LINES;

export function PlayerIcon({ name, className }: { name: IconName; className?: string }) {
  const solid = name === 'play' || name === 'pause';
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className={classes('size-6', className)}>
      {solid ? (
        <path d={DRAWN[name]} fill="currentColor" />
      ) : (
        <path
          d={LINES[name]}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.7"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
      {name === 'back' || name === 'forward' ? (
        <path
          d="M10.8 11.4 12.4 10.2V16"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.7"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      ) : null}
    </svg>
  );
}
