/** What servers answer and what storage holds is data: its names reach no prototype. */
import { afterEach, expect, test } from 'vitest';
import { complete } from '@/lib/connect-get';
import { readFormDraft } from '@/lib/form-draft';
import { parseSnapshot } from '@/lib/snapshot';

/** Names that lead from an object to what all objects share. */
const HOSTILE = [
  '{"__proto__":{"polluted":"yes"}}',
  '{"constructor":{"prototype":{"polluted":"yes"}}}',
  '{"name":{"__proto__":{"polluted":"yes"}},"contact":{"__proto__":{"polluted":"yes"}}}',
  '[{"__proto__":{"polluted":"yes"}}]',
];

afterEach(() => sessionStorage.clear());

test('what servers and storage hold changes no prototype', () => {
  const shape = { name: '', list: [{ name: '' }], part: { name: '' } };
  for (const hostile of HOSTILE) {
    sessionStorage.setItem('form', hostile);
    const read = [
      complete(shape, JSON.parse(hostile)),
      complete({ ...shape, constructor: { prototype: { polluted: '' } } }, JSON.parse(hostile)),
      readFormDraft('form', { name: '' }),
      parseSnapshot(hostile),
    ];
    expect(read).toHaveLength(4);
    for (const shared of [{}, [], () => undefined, Object.create(null)]) {
      expect((shared as Record<string, unknown>).polluted, hostile).toBeUndefined();
    }
  }
});
