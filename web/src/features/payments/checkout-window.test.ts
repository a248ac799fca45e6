/** Which ways to pay the provider's window is asked to offer. */
import { expect, test } from 'vitest';
import { displayFor } from './checkout-window';

const BROWSERS = {
  'Chrome on an Android phone':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
  'Safari on an iPhone':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Chrome at a desk':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
};

test.each([
  ['Chrome on an Android phone', 'intent'],
  ['Safari on an iPhone', 'intent'],
  ['Chrome at a desk', 'qr'],
] as const)('UPI comes first, and %s leads to an app by %s', (browser, flow) => {
  expect(displayFor(BROWSERS[browser])).toEqual({
    blocks: { upi: { name: 'UPI', instruments: [{ method: 'upi', flows: [flow] }] } },
    // A field for a UPI ID would lead to nothing.
    hide: [{ method: 'upi', flows: ['collect'] }],
    sequence: ['block.upi'],
    preferences: { show_default_blocks: true },
  });
});
