import { useOnline } from '@/lib/use-online';

/** Says that what is shown may be old. The live region is there before it has anything to say. */
export function OfflineBanner() {
  const online = useOnline();
  return (
    <div role="status" className="print:hidden">
      {online ? null : (
        <p className="bg-warn-soft px-4 py-2 text-center text-sm text-ink">
          <span className="font-semibold text-warn">You are offline.</span> What you see may be old;
          what you type stays in this page.
        </p>
      )}
    </div>
  );
}
