/** The admin panel for whatever opens it. Its code is loaded when it is opened the first time. */
import { type ComponentType, type ReactNode, useCallback, useState } from 'react';
import { toast } from '@/components/ui/toast-store';
import { importWithRetry } from '@/lib/import-with-retry';
import type { AdminPanelProps } from '../components/admin-panel';

export function useAdminPanel(): { open: () => void; panel: ReactNode } {
  const [Panel, setPanel] = useState<ComponentType<AdminPanelProps>>();
  const [isOpen, setIsOpen] = useState(false);
  const close = useCallback(() => setIsOpen(false), []);

  async function open() {
    try {
      const { AdminPanel } = await importWithRetry(() => import('../components/admin-panel'));
      setPanel(() => AdminPanel);
      setIsOpen(true);
    } catch {
      toast({
        title: 'The panel could not be loaded',
        description: 'Please check your connection and try again.',
        variant: 'destructive',
      });
    }
  }

  return {
    open: () => void open(),
    panel: Panel ? <Panel open={isOpen} onClose={close} /> : null,
  };
}
