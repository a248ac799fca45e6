/** Whether the signed-in account is a member of the practice: only members are led to its page. */
import { useEffect, useState } from 'react';
import { importWithRetry } from '@/lib/import-with-retry';

/** Asked when the menu opens the first time; false until an answer comes. */
export function useIsMember(userId: string, asked: boolean): boolean {
  const [memberId, setMemberId] = useState<string>();
  useEffect(() => {
    if (!asked) return;
    let gone = false;
    importWithRetry(() => import('@/lib/fetch-membership'))
      .then(({ fetchIsMember }) => fetchIsMember())
      .then((isMember) => {
        if (!gone) setMemberId(isMember ? userId : undefined);
      })
      // Without an answer the way is not shown; the page's own address works.
      .catch(() => {});
    return () => {
      gone = true;
    };
  }, [userId, asked]);
  return memberId === userId;
}
