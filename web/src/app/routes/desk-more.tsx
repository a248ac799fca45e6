/** /desk/more: the desk's further ways, and the moderation of reviews that one of them opens. */
import { MoreScreen } from '@/features/desk/components/more-screen';
import { useAdminPanel } from '@/features/moderation/hooks/use-admin-panel';

export default function DeskMore() {
  const { open, panel } = useAdminPanel();
  return (
    <>
      <MoreScreen onReviews={open} />
      {panel}
    </>
  );
}
