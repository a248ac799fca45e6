import { Optional } from '@/components/optional';
import { serverDate } from '@/lib/clock';
import { usePracticeZone, useServices } from '@/lib/practice';
import { firstService, serviceFacts, whenText } from '../first-facts';
import { type NextFree, useNextFree } from '../hooks/use-next-free';

/** Where a booking of a service with a chosen start begins. */
export type SlotLink = (serviceId: string, startsAt: Date) => string;

/** A long date takes one line on a phone of 360 pixels, so that nothing moves when the time comes. */
const CARD =
  'group flex min-h-22 w-full max-w-md items-center gap-2 rounded-card border border-brand ' +
  'bg-brand-soft px-3 py-2 sm:gap-3 sm:px-4 text-ink transition-colors duration-150 hover:border-brand-strong';

function Arrow() {
  return (
    <span className="grid size-9 shrink-0 place-items-center rounded-full bg-brand text-on-brand transition-colors duration-150 group-hover:bg-brand-strong">
      <svg viewBox="0 0 20 20" aria-hidden="true" className="size-4.5">
        <path
          d="M4 10h12M11 5l5 5-5 5"
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </span>
  );
}

/** Until the time is known its room is kept; without scripts it never is, and the words stay. */
function Title({ next }: { next: NextFree }) {
  const zone = usePracticeZone();
  if (next) return <>{`Next: ${whenText(next, serverDate(), zone)}`}</>;
  if (next === null) return <>See free times</>;
  return (
    <>
      <span className="sr-only noscript:not-sr-only">See free times</span>
      <span
        aria-hidden="true"
        className="animate-pulse-soft inline-block h-4 w-full align-middle max-w-48 rounded-sm bg-control opacity-40 noscript:hidden"
      />
    </>
  );
}

/**
 * The next free time, one press from the booking with that time chosen. Where there is none, and
 * before any script has run, it leads to the free times of the same service.
 */
export function NextFreeLink({ slotLink }: { slotLink: SlotLink }) {
  const service = firstService(useServices());
  const next = useNextFree(service?.serviceId);
  if (!service) return null;
  const { serviceId } = service;
  // The booking is a document of its own, so both are full navigations.
  const href = next ? slotLink(serviceId, next) : `/service/${serviceId}#times`;
  return (
    <a href={href} className={CARD}>
      <span className="flex min-w-0 flex-1 flex-col gap-0.5 leading-snug numeric">
        <span className="text-[1rem] font-semibold sm:text-base lg:text-lg lg:leading-snug">
          <Optional instead="See free times">
            <Title next={next} />
          </Optional>
        </span>
        <span className="text-sm leading-snug text-ink-2">{serviceFacts(service)}</span>
      </span>
      <Arrow />
    </a>
  );
}
