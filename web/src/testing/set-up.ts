/** Leaves nothing behind between tests. */
import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';
import { dismissToast } from '@/components/ui/toast-store';

afterEach(() => {
  cleanup();
  dismissToast();
  localStorage.clear();
  sessionStorage.clear();
  document.documentElement.className = '';
});
