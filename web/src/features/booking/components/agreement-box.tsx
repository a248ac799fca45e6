import { Checkbox } from '@/components/ui/checkbox';
import { usePractice } from '@/lib/practice';

type AgreementBoxProps = {
  agreed: boolean;
  onChange: (agreed: boolean) => void;
  error?: string | undefined;
};

/** The short terms, in words that are true, and the consent to them. */
export function AgreementBox({ agreed, onChange, error }: AgreementBoxProps) {
  const { cancellationHours } = usePractice();
  return (
    <section
      aria-labelledby="agreement"
      className="rounded-card border border-hairline bg-sun-soft p-5"
    >
      <h2 id="agreement" className="text-h3">
        Quick Agreement
      </h2>
      <ul className="mt-3 flex list-disc flex-col gap-1.5 pl-5">
        <li>
          You can cancel or move your session until {cancellationHours} hours before it starts.
        </li>
        <li>You pay now, in full. If we cannot give you the time, you get all of it back.</li>
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
