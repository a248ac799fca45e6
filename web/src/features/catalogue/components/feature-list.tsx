import type { Feature } from '@/gen/catalogue/v1/catalogue_service_pb';

/** What a service includes: names and a sentence each. */
export function FeatureList({ features }: { features: readonly Feature[] }) {
  return (
    <ul className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
      {features.map((feature) => (
        <li key={feature.name} className="flex gap-3">
          <svg viewBox="0 0 20 20" aria-hidden="true" className="mt-1 size-5 shrink-0 text-brand">
            <path
              d="M10 18C4.5 14.5 3.5 8.5 5.5 3c4 2.5 6 7.5 4.5 15Zm0 0c5.5-3.5 6.5-9.5 4.5-15"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
              strokeLinejoin="round"
              strokeLinecap="round"
            />
          </svg>
          <div>
            <p className="font-semibold">{feature.name}</p>
            <p className="text-sm text-ink-2">{feature.description}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
