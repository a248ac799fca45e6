import { useId, useState } from 'react';
import { FieldError } from '@/components/ui/field';
import { STAR_PATH } from '@/components/ui/stars';
import { classes } from '@/lib/classes';
import { RATINGS, ratingLabel, starsText, toRating } from '../rating';

type RatingInputProps = {
  name: string;
  /** "1" to "5", or empty. */
  value: string;
  error: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
};

function Star({ lit }: { lit: boolean }) {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className="size-9">
      <path
        d={STAR_PATH}
        strokeWidth="1.1"
        strokeLinejoin="round"
        className={classes(
          'transition-colors duration-150',
          lit ? 'fill-clay stroke-clay' : 'fill-surface stroke-control',
        )}
      />
    </svg>
  );
}

/** Five stars: native radio buttons, so that keys and readers know them. */
export function RatingInput({ name, value, error, disabled, onChange }: RatingInputProps) {
  const id = useId();
  const [pointed, setPointed] = useState('');
  const [focused, setFocused] = useState('');
  const shown = (disabled ? '' : pointed) || value || focused;
  const lit = toRating(shown) ?? 0;
  return (
    <fieldset disabled={disabled} className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-semibold">Your rating</legend>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="-ml-1 flex flex-wrap" onPointerLeave={() => setPointed('')}>
          {RATINGS.map((star) => (
            <label
              key={star}
              className="relative grid size-12 place-items-center rounded-full not-has-disabled:hover:bg-clay-soft"
              onPointerEnter={(event) => {
                if (event.pointerType === 'mouse') setPointed(String(star));
              }}
            >
              <input
                type="radio"
                name={name}
                value={star}
                checked={value === String(star)}
                onChange={() => onChange(String(star))}
                onFocus={() => setFocused(String(star))}
                onBlur={() => setFocused('')}
                aria-describedby={error ? `${id}-error` : undefined}
                className="peer absolute inset-0 m-0 size-full cursor-pointer appearance-none rounded-full disabled:cursor-default"
              />
              <span className="pointer-events-none">
                <Star lit={star <= lit} />
              </span>
              <span className="sr-only">{`${starsText(star)}, ${ratingLabel(star)}`}</span>
            </label>
          ))}
        </div>
        <p aria-hidden="true" className="min-h-7 text-lg font-semibold text-clay">
          {ratingLabel(shown)}
        </p>
      </div>
      <FieldError id={id} error={error} />
    </fieldset>
  );
}
