import { OwnTime } from '@/components/own-time';
import { SteadyButton } from '@/components/ui/steady-button';
import { usePracticeZone } from '@/lib/practice';
import type { PageCode } from '../hooks/use-page-code';
import { shortTime } from '../refund-words';
import { PageCodeForm } from './page-code-form';

type ConfirmProps = {
  from: Date;
  chosen: string;
  online: boolean;
  busy: boolean;
  pageCode: PageCode;
  onMove: (code: string) => void;
};

/** The second step: both times, and the button that names the new one. */
export function ConfirmMove({ from, chosen, online, busy, pageCode, onMove }: ConfirmProps) {
  const zone = usePracticeZone();
  const to = chosen ? new Date(chosen) : undefined;
  return (
    <>
      <div aria-live="polite" className="w-full empty:hidden">
        {to ? (
          <p className="numeric">
            From {shortTime(from, zone)} to <strong>{shortTime(to, zone)}</strong>
            {online ? <OwnTime at={to} zone={zone} /> : null}
          </p>
        ) : null}
      </div>
      {to ? <PageCodeForm pageCode={pageCode} atOnce /> : null}
      {to && pageCode.isOpen ? (
        <SteadyButton
          words={`Move to ${shortTime(to, zone)}`}
          busy={busy}
          busyText="Moving…"
          onPress={() => pageCode.act(onMove)}
        />
      ) : null}
    </>
  );
}
