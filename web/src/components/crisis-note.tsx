import { usePractice } from '@/lib/practice';
import { WithNumbers } from './with-numbers';

/** The practice's note on help in a crisis; nothing where the practice has none. */
export function CrisisNote({ className = 'text-sm text-ink-2' }: { className?: string }) {
  const { crisisNote } = usePractice();
  if (!crisisNote) return null;
  return (
    <p className={className}>
      <span className="font-semibold text-clay">Need help right now? </span>
      <WithNumbers text={crisisNote} />
    </p>
  );
}
