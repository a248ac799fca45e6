/** Leaves nothing behind between tests. */
import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { dismissToast } from '@/components/ui/toast-store';

beforeEach(() => {
  // Nobody answers here; plain reads then go by the transport that a test gives.
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('no network in tests'));
});

afterEach(() => {
  cleanup();
  dismissToast();
  localStorage.clear();
  sessionStorage.clear();
  document.documentElement.className = '';
});
