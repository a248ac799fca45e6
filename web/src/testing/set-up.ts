/** Leaves nothing behind between tests. */
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { dismissToast } from '@/components/ui/toast-store';

// A busy machine takes more than the usual second to bring a page; what is there is found at once.
configure({ asyncUtilTimeout: 5_000 });

beforeEach(() => {
  // There is no server here; plain reads then go by the transport that a test gives.
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('no network in tests'));
});

afterEach(() => {
  cleanup();
  dismissToast();
  localStorage.clear();
  sessionStorage.clear();
  document.documentElement.className = '';
});
