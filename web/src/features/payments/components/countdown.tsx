import { countdownText } from '../verification-schedule';

const RADIUS = 52;
const LENGTH = 2 * Math.PI * RADIUS;

type CountdownProps = { secondsLeft: number; windowSeconds: number };

/** How long this page still asks: a ring that closes, and the time in digits. */
export function Countdown({ secondsLeft, windowSeconds }: CountdownProps) {
  const share = windowSeconds > 0 ? secondsLeft / windowSeconds : 0;
  return (
    <div className="relative mx-auto size-36" role="timer" aria-label="Time left">
      <svg viewBox="0 0 120 120" aria-hidden="true" className="size-full -rotate-90">
        <circle
          cx="60"
          cy="60"
          r={RADIUS}
          fill="none"
          strokeWidth="8"
          className="stroke-brand-soft"
        />
        <circle
          cx="60"
          cy="60"
          r={RADIUS}
          fill="none"
          strokeWidth="8"
          strokeLinecap="round"
          strokeDasharray={LENGTH}
          strokeDashoffset={LENGTH * (1 - share)}
          className="stroke-brand"
        />
      </svg>
      <span className="absolute inset-0 grid place-items-center text-h3 font-semibold numeric">
        {countdownText(secondsLeft)}
      </span>
    </div>
  );
}
