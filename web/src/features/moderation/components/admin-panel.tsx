import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { Dialog } from '@/components/ui/dialog';
import { toast } from '@/components/ui/toast-store';
import { useGrant } from '../hooks/use-grant';
import { GrantTimer } from './grant-timer';
import { PasswordPrompt } from './password-prompt';
import { ReviewList } from './review-list';

export type AdminPanelProps = { open: boolean; onClose: () => void };

/** What is inside lives as long as the panel is open: its end forgets everything and locks. */
function PanelBody({ onClose }: { onClose: () => void }) {
  const grant = useGrant();
  if (!grant.ends) {
    const onUnlocked = () =>
      toast({ title: 'Admin Access Granted', description: 'You can now manage reviews.' });
    return <PasswordPrompt grant={grant} onUnlocked={onUnlocked} onLeave={onClose} />;
  }
  return (
    // High enough that the dialog does not jump with what is found.
    <div className="flex min-h-[65dvh] flex-col gap-5">
      <GrantTimer ends={grant.ends} onStay={grant.stay} />
      <ReviewList grant={grant} />
    </div>
  );
}

/** The admin panel: a password first, then all reviews. Closing it locks it again. */
export function AdminPanel({ open, onClose }: AdminPanelProps) {
  const { pathname } = useLocation();
  const openedAt = useRef(pathname);

  // Another page, and a page that is put aside, close the panel.
  useEffect(() => {
    if (open && openedAt.current !== pathname) onClose();
    openedAt.current = pathname;
  }, [open, pathname, onClose]);
  useEffect(() => {
    window.addEventListener('pagehide', onClose);
    return () => window.removeEventListener('pagehide', onClose);
  }, [onClose]);

  return (
    <Dialog open={open} onClose={onClose} title="Admin Panel" size="lg">
      <PanelBody onClose={onClose} />
    </Dialog>
  );
}
