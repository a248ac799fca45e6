import { Link } from 'react-router';
import { WithHelplines } from '@/components/with-numbers';
import type { Faq } from '@/gen/catalogue/v1/catalogue_service_pb';
import { anchorOf } from '../anchors';

/** One question that opens to its answer. Its address opens it too. */
export function Question({ faq: { question, answer } }: { faq: Faq }) {
  const anchor = anchorOf(question);
  return (
    <details id={anchor} className="group/question border-t border-hairline" data-question="">
      <summary className="-mx-3 flex min-h-16 list-none items-center justify-between gap-6 rounded-input px-3 py-4 hover:text-brand [&::-webkit-details-marker]:hidden">
        <h3 className="font-sans text-base font-semibold tracking-normal text-pretty">
          {question}
        </h3>
        <svg
          viewBox="0 0 20 20"
          aria-hidden="true"
          className="size-9 shrink-0 rounded-full bg-brand-soft p-2.5 text-brand transition-transform duration-200 ease-calm group-open/question:rotate-45"
        >
          <path d="M10 3v14M3 10h14" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
        </svg>
      </summary>
      <div className="measure flex flex-col items-start pb-4 text-ink-2">
        <p>
          <WithHelplines text={answer} />
        </p>
        {/* By the router, which also reports a link to the address that is open already. */}
        <Link
          to={{ hash: anchor }}
          className="inline-flex min-h-11 items-center text-sm font-semibold text-brand hover:underline print:hidden"
        >
          Link to this answer
        </Link>
      </div>
    </details>
  );
}
