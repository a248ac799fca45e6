import { usePractice } from '@/lib/practice';

/** Whom to call when a session is not what is needed now; nothing where the practice says nothing. */
export function CrisisNote({ className = 'text-sm text-ink-2' }: { className?: string }) {
  const { crisisNote } = usePractice();
  if (!crisisNote) return null;
  return (
    <p className={className}>
      <span className="font-semibold text-clay">Need help right now? </span>
      {crisisNote}
    </p>
  );
}
