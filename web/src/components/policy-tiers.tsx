import type { CancellationPolicy } from '@/gen/common/v1/cancellation_pb';
import { hasSteps, tierLines } from '@/lib/cancellation';

/** What comes back of a session, step by step, where a policy has more to say than its first limit. */
export function PolicyTiers({ policy }: { policy: CancellationPolicy | undefined }) {
  if (!hasSteps(policy)) return null;
  return (
    <ul className="list-disc pl-5">
      {tierLines(policy).map((line) => (
        <li key={line}>{line}.</li>
      ))}
    </ul>
  );
}
