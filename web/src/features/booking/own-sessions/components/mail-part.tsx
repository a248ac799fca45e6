/** Mails about sessions, closed below the lists: most never change them, so it is loaded no sooner. */
import { useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import { MailLoading } from './mail-loading';

const mailSection = lazyLoader(
  async () => (await importWithRetry(() => import('./mail-section'))).MailSection,
);

export function MailPart({ userId }: { userId: string }) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details
      className="rounded-card border border-hairline bg-surface px-6 shadow-soft"
      onToggle={({ currentTarget }) => currentTarget.open && setWasOpened(true)}
    >
      <summary className="min-h-11 cursor-pointer py-4 font-semibold hover:text-brand">
        Mails about sessions
      </summary>
      <div className="pb-6">
        {wasOpened ? (
          <LazySection
            code={mailSection}
            resting={<MailLoading />}
            missing="What you chose about mails could not be loaded"
          >
            {(MailSection) => <MailSection userId={userId} />}
          </LazySection>
        ) : null}
      </div>
    </details>
  );
}
