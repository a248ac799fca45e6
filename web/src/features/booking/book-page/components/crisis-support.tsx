import { WithNumbers } from '@/components/with-numbers';
import { usePractice } from '@/lib/practice';

/** "Crisis Support": the helpline, for visitors who cannot wait for a session. */
export function CrisisSupport() {
  const { crisisNote } = usePractice();
  if (!crisisNote) return null;
  return (
    <section aria-labelledby="crisis-title" className="container-page">
      <div className="flex flex-col gap-3 rounded-panel bg-clay-soft p-6 sm:p-8">
        <h2 id="crisis-title" className="text-h2 text-clay">
          Crisis Support
        </h2>
        <p className="measure text-lg">
          <WithNumbers text={crisisNote} />
        </p>
      </div>
    </section>
  );
}
