import type { ReactNode } from 'react';
import { PageHeading } from '@/components/ui/page-heading';

type AccountFrameProps = { title: string; lead?: ReactNode; children: ReactNode; foot?: ReactNode };

/** The frame of the account pages. */
export function AccountFrame({ title, lead, children, foot }: AccountFrameProps) {
  return (
    <div className="container-page grid min-h-[70dvh] place-items-center py-10 sm:py-16">
      <div className="w-full max-w-lg">
        <div className="rounded-panel border border-hairline bg-surface p-6 shadow-soft sm:p-9">
          <PageHeading lead={lead} className="mb-7 [&_h1]:text-h2">
            {title}
          </PageHeading>
          {children}
        </div>
        {foot ? <div className="mt-6 text-center text-ink-2">{foot}</div> : null}
      </div>
    </div>
  );
}
