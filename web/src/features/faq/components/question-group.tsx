import type { FaqGroup } from '@/gen/catalogue/v1/catalogue_service_pb';
import { anchorOf } from '../anchors';
import { Question } from './question';

/** A titled group of questions; open at first, and the visitor may close it. */
export function QuestionGroup({ group: { title, faqs } }: { group: FaqGroup }) {
  return (
    <details
      open
      id={anchorOf(title)}
      className="group/section rounded-panel border border-hairline bg-surface px-5 shadow-soft sm:px-8"
    >
      <summary className="-mx-3 flex min-h-20 list-none items-center justify-between gap-6 rounded-input px-3 py-5 hover:text-brand [&::-webkit-details-marker]:hidden">
        <span className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
          <h2 className="text-h3">{title}</h2>
          <span className="text-sm text-ink-2 numeric">{faqs.length} questions</span>
        </span>
        <svg
          viewBox="0 0 20 20"
          aria-hidden="true"
          className="size-5 shrink-0 transition-transform duration-200 ease-calm group-open/section:rotate-180"
        >
          <path
            d="M4 7.5l6 6 6-6"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.8"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
      </summary>
      <div className="pb-3">
        {faqs.map((faq) => (
          <Question key={faq.question} faq={faq} />
        ))}
      </div>
    </details>
  );
}
