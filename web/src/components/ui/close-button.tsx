/** A round button with a cross that closes what it is on. */
import { classes } from '@/lib/classes';

type CloseButtonProps = {
  /** Its name for screen readers. */
  label?: string;
  onClick: () => void;
  /** Its position and its colours; `text-ink-2` in most places. */
  className?: string;
};

export function CloseButton({ label = 'Close', onClick, className }: CloseButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className={classes(
        'grid size-11 shrink-0 place-items-center rounded-full hover:bg-sunken',
        className,
      )}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5">
        <path
          d="M5 5l10 10M15 5L5 15"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
        />
      </svg>
    </button>
  );
}
