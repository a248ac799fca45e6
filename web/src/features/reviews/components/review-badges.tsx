import { Badge } from '@/components/ui/badge';

/** The writer is known to have had a session. */
export function VerifiedBadge() {
  return (
    <Badge tone="leaf">
      <svg viewBox="0 0 20 20" aria-hidden="true" className="size-4">
        <path
          d="M10 1.5l2.2 1.6 2.7 0 .8 2.6 2.2 1.6-.9 2.7.9 2.7-2.2 1.6-.8 2.6-2.7 0L10 18.5l-2.2-1.6-2.7 0-.8-2.6-2.2-1.6.9-2.7-.9-2.7 2.2-1.6.8-2.6 2.7 0z"
          fill="currentColor"
          fillOpacity="0.18"
        />
        <path
          d="M6.4 10.3l2.5 2.4 4.7-5"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      Verified
    </Badge>
  );
}

export function RecentBadge() {
  return <Badge tone="clay">Recent Review</Badge>;
}
