import { useId } from 'react';
import { OwnTime } from '@/components/own-time';
import { Button } from '@/components/ui/button';
import { formatPhone } from '@/lib/phone';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { formatDateTime } from '@/lib/time';
import { countdownText, shareLeft } from '../countdown';
import { useTimeLeft } from '../hooks/use-time-left';

/** A ring that empties with the window; it says nothing that the digits do not say. */
function Ring({ share }: { share: number }) {
  return (
    <svg viewBox="0 0 200 200" aria-hidden="true" className="absolute inset-0 size-full -rotate-90">
      <circle cx="100" cy="100" r="94" fill="none" stroke="var(--hairline)" strokeWidth="6" />
      {share > 0 ? (
        <circle
          cx="100"
          cy="100"
          r="94"
          fill="none"
          stroke="var(--brand)"
          strokeWidth="6"
          strokeLinecap="round"
          pathLength="1000"
          strokeDasharray={`${Math.round(share * 1000)} 1000`}
        />
      ) : null}
    </svg>
  );
}

function Expired({ hours }: { hours: number }) {
  const { phone } = usePractice();
  return (
    <div className="flex flex-col items-center gap-3">
      <p className="text-h3 font-semibold text-clay">
        {hours}-hour cancellation window has expired
      </p>
      <p className="text-ink-2">
        Has something come up? Please tell us anyway. We consider emergencies case by case.
      </p>
      <Button href={`tel:${phone}`} variant="secondary" className="numeric">
        Call {formatPhone(phone)}
      </Button>
    </div>
  );
}

type CountdownProps = {
  until: Date;
  /** How many hours the window has. */
  hours: number;
  /** The service that it is about, where it is known. */
  service: string;
};

/** The time left to cancel. Its seconds are not announced; that it has ended is. */
export function Countdown({ until, hours, service }: CountdownProps) {
  const zone = usePracticeZone();
  const left = useTimeLeft(until);
  const label = useId();
  const counting = left > 0;
  return (
    <div className="flex flex-col items-center gap-5 text-center">
      <div className="flex flex-col gap-1">
        <h2 id={label} className="text-h3">
          {counting ? 'Time left to cancel' : 'Your cancellation'}
        </h2>
        {service ? <p className="text-ink-2">{service}</p> : null}
      </div>
      {counting ? (
        <>
          <div className="relative grid aspect-square w-full max-w-52 place-items-center">
            <Ring share={shareLeft(left, hours)} />
            <div className="flex flex-col items-center">
              <p
                role="timer"
                aria-labelledby={label}
                className="font-display text-h2 font-semibold numeric"
              >
                {countdownText(left)}
              </p>
              <p className="text-sm text-ink-2">hours : min : sec</p>
            </div>
          </div>
          <p className="text-ink-2">
            until <strong className="text-ink">{formatDateTime(until, zone)}</strong>
            <OwnTime at={until} zone={zone} />
          </p>
        </>
      ) : null}
      <div role="status">{counting ? null : <Expired hours={hours} />}</div>
    </div>
  );
}
