import { PolicyTiers } from '@/components/policy-tiers';
import { Checkbox } from '@/components/ui/checkbox';
import type { CancellationPolicy } from '@/gen/common/v1/cancellation_pb';
import { noticeHours } from '@/lib/cancellation';
import { usePractice } from '@/lib/practice';
import type { LateTime } from '../hooks/use-late';
import { LateTick } from './late-notice';

type AgreementBoxProps = {
  agreed: boolean;
  onChange: (agreed: boolean) => void;
  error?: string | undefined;
  /** The session costs nothing. */
  free: boolean;
  /** Of the booking or the package; else the practice's of today. */
  policy: CancellationPolicy | undefined;
  /** The chosen time starts inside the cancellation limit. */
  late: LateTime | undefined;
  lateError?: string | undefined;
};

/** What the agreement belongs to, each in a tab of its own. */
const MORE_TERMS = [
  { href: '/terms', label: 'Terms' },
  { href: '/privacy', label: 'Privacy' },
  { href: '/refunds', label: 'Refunds' },
];

function MoreTerms() {
  return (
    <p className="mt-1 flex flex-wrap gap-x-5 text-sm">
      {MORE_TERMS.map(({ href, label }) => (
        <a
          key={href}
          href={href}
          target="_blank"
          rel="noopener"
          className="inline-flex min-h-11 items-center text-brand underline underline-offset-4"
        >
          {label}
          <span className="sr-only"> (opens in a new tab)</span>
        </a>
      ))}
    </p>
  );
}

function PaidTerms({ late, policy }: Pick<AgreementBoxProps, 'late' | 'policy'>) {
  const { cancellationPolicy: usual } = usePractice();
  return (
    <>
      {late ? null : (
        <li>
          You can cancel your session until {noticeHours(policy ?? usual)} hours before it starts.
          <PolicyTiers policy={policy ?? usual} />
        </li>
      )}
      <li>You pay now, in full. If we can't offer you the session, we'll refund you in full.</li>
    </>
  );
}

/** The short terms, in words that are true, and the consent to them. */
export function AgreementBox(props: AgreementBoxProps) {
  const { agreed, onChange, error, free, policy, late, lateError } = props;
  return (
    <section
      aria-labelledby="agreement"
      className="rounded-card border border-hairline bg-sun-soft p-5"
    >
      <h2 id="agreement" className="text-h3">
        Quick Agreement
      </h2>
      <ul className="mt-3 flex list-disc flex-col gap-1.5 pl-5">
        {free ? (
          <li>It costs nothing. Can't make it? Let us know so someone else can have the time.</li>
        ) : (
          <PaidTerms late={late} policy={policy} />
        )}
        <li>What you tell us stays with us, unless a life is in danger.</li>
        <li>A session supports you; it does not replace a doctor or emergency care.</li>
        <li>You are 18 or older.</li>
      </ul>
      <p className="mt-3 text-sm">
        <a
          href="/cancellation-policy"
          target="_blank"
          rel="noopener"
          className="text-brand underline underline-offset-4"
        >
          Read the full cancellation policy<span className="sr-only"> (opens in a new tab)</span>
        </a>
      </p>
      <MoreTerms />
      {late ? <LateTick late={late} error={lateError} /> : null}
      <Checkbox
        name="agreement"
        label="I agree to these simple terms"
        className="mt-2"
        checked={agreed}
        onChange={(event) => onChange(event.target.checked)}
        error={error}
      />
    </section>
  );
}
