import type { ChangeEvent } from 'react';
import { classes } from '@/lib/classes';

type SliderProps = {
  label: string;
  /** The value as people say it. */
  text: string;
  value: number;
  max: number;
  step: number;
  /** Something lighter behind the value, in the value's own unit: how much is loaded. */
  behind?: number;
  /** Marks the slider, so that the player's keys know what has the focus. */
  target: 'seek' | 'volume';
  onValue: (value: number) => void;
  className?: string;
};

const THUMB =
  '[&::-webkit-slider-thumb]:size-4.5 [&::-webkit-slider-thumb]:appearance-none ' +
  '[&::-webkit-slider-thumb]:rounded-full [&::-webkit-slider-thumb]:bg-brand ' +
  '[&::-moz-range-thumb]:size-4.5 [&::-moz-range-thumb]:rounded-full ' +
  '[&::-moz-range-thumb]:border-0 [&::-moz-range-thumb]:bg-brand';

function percent(part: number, whole: number): string {
  return `${whole > 0 ? Math.min(100, Math.round((part / whole) * 1000) / 10) : 0}%`;
}

/** A native slider on a drawn track; its whole height of 44 pixels can be touched. */
export function Slider(props: SliderProps) {
  const { label, text, value, max, step, behind, target, onValue, className } = props;
  const bar = { y: '0', height: '100%', rx: '3' };
  return (
    <span className={classes('relative block h-11', className)}>
      <svg
        aria-hidden="true"
        className="absolute top-[19px] left-[9px] h-1.5 w-[calc(100%-18px)] text-hairline"
      >
        <rect {...bar} width="100%" fill="currentColor" />
        {behind === undefined ? null : (
          <rect {...bar} width={percent(behind, max)} className="fill-control" />
        )}
        <rect {...bar} width={percent(value, max)} className="fill-brand" />
      </svg>
      <input
        type="range"
        min={0}
        max={max}
        step={step}
        value={value}
        aria-label={label}
        aria-valuetext={text}
        data-target={target}
        onChange={(event: ChangeEvent<HTMLInputElement>) => onValue(event.target.valueAsNumber)}
        className={classes(
          'absolute inset-0 size-full cursor-pointer appearance-none rounded-full bg-transparent',
          THUMB,
        )}
      />
    </span>
  );
}
