import { WithCrisisNote } from '@/components/with-numbers';
import type { ConsentTerms } from '@/gen/catalogue/v1/catalogue_service_pb';

/** The numbered terms, as they are kept with the consent. */
export function ConsentTermsText({ terms }: { terms: ConsentTerms }) {
  return (
    <div className="flex flex-col gap-5">
      {terms.introduction.map((paragraph) => (
        <p key={paragraph} className="measure">
          <WithCrisisNote text={paragraph} />
        </p>
      ))}
      <ol className="flex list-none flex-col gap-5">
        {terms.terms.map(({ title, paragraphs }, index) => (
          <li key={title} className="grid grid-cols-[2.25rem_minmax(0,1fr)] gap-x-3">
            <span
              aria-hidden="true"
              className="grid size-9 place-items-center rounded-full bg-brand-soft text-sm font-semibold text-brand numeric"
            >
              {index + 1}
            </span>
            <div className="flex flex-col gap-1 pt-1">
              <h3 className="font-sans text-base font-semibold tracking-normal">
                <span className="sr-only">{`${index + 1}. `}</span>
                {title}
              </h3>
              {paragraphs.map((paragraph) => (
                <p key={paragraph} className="measure text-ink-2">
                  <WithCrisisNote text={paragraph} />
                </p>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
