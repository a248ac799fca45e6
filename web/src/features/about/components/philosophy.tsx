import { usePractice } from '@/lib/practice';

/** What the practice believes, in one sentence that has room around it. */
export function Philosophy() {
  const { about, practitionerName } = usePractice();
  if (!about?.philosophy) return null;
  return (
    <figure className="relative isolate overflow-hidden bg-sunken">
      <svg
        viewBox="0 0 1200 480"
        preserveAspectRatio="xMidYMid slice"
        aria-hidden="true"
        className="absolute inset-0 -z-10 size-full text-brand"
      >
        <g fill="none" stroke="currentColor" strokeOpacity="0.13">
          <circle cx="600" cy="240" r="130" />
          <circle cx="600" cy="240" r="230" />
          <circle cx="600" cy="240" r="340" />
          <circle cx="600" cy="240" r="460" />
          <circle cx="600" cy="240" r="590" />
        </g>
      </svg>
      <div className="container-page flex flex-col items-center gap-5 py-16 text-center lg:py-24">
        <blockquote>
          <p className="max-w-[34ch] font-display text-h2 font-medium text-balance">
            “{about.philosophy}”
          </p>
        </blockquote>
        <figcaption className="text-sm font-semibold text-clay">{practitionerName}</figcaption>
      </div>
    </figure>
  );
}
