/** A dialog that a session's sheet leads to. Its code is fetched while the sheet is read. */
import { useEffect } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Dialog } from '@/components/ui/dialog';
import { Skeleton } from '@/components/ui/skeleton';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { ActDialogsProps } from './act-dialogs';

const dialogs = lazyLoader(() => importWithRetry(() => import('./act-dialogs')));

/** Fetches the code once a sheet is open: what is pressed in it then opens at once. */
export function useRowDialogs(isNear: boolean): void {
  useEffect(() => {
    // The dialog itself says where its code cannot be had.
    if (isNear) dialogs.load().catch(() => {});
  }, [isNear]);
}

export function LazyRowDialog(props: ActDialogsProps) {
  const { onClose } = props;
  return (
    <LazySection
      code={dialogs}
      resting={
        <Dialog open sheet onClose={onClose} title="One moment…">
          <Skeleton className="h-24 w-full" />
        </Dialog>
      }
      missing="This could not be loaded"
      around={(notice) => (
        <Dialog open sheet onClose={onClose} title="Not now">
          {notice}
        </Dialog>
      )}
    >
      {({ ActDialogs }) => <ActDialogs {...props} />}
    </LazySection>
  );
}
