import { Alert } from '@/components/ui/alert';
import { Checkbox } from '@/components/ui/checkbox';
import type { LateTime } from '../hooks/use-late';
import { LATE_FIELD, LATE_TICK, NO_REFUND } from '../late-booking';

type LateTickProps = { late: LateTime; error?: string | undefined };

/** The consent to a time that cannot be cancelled for a refund. */
export function LateTick({ late, error }: LateTickProps) {
  return (
    <Checkbox
      name={LATE_FIELD}
      label={LATE_TICK}
      checked={late.agreed}
      onChange={(event) => late.agree(event.target.checked)}
      error={error}
    />
  );
}

type LateNoticeProps = LateTickProps & {
  /** The checkbox is elsewhere on the page, or the consent was given before. */
  told?: boolean;
};

/** Says plainly what a time inside the cancellation limit means, and asks for the consent. */
export function LateNotice({ late, error, told }: LateNoticeProps) {
  return (
    <Alert tone="warn" live title={late.title}>
      <p>{NO_REFUND}</p>
      {told ? null : <LateTick late={late} error={error} />}
    </Alert>
  );
}
