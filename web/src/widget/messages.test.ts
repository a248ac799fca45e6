import { beforeEach, expect, test, vi } from 'vitest';
import { ParentPage, parseMessage } from './messages';

const SITE = 'https://wellness.example';
const OTHER = 'https://other.example';

type Sent = [message: unknown, origin: string];
type Listener = (event: MessageEvent) => void;

let sent: Sent[];
let listeners: Listener[];
const parent = { postMessage: (...said: Sent) => sent.push(said) };

/** The window of a frame, as far as it is looked at. */
function frame({ ancestors, referrer = '', framed = true } = {} as Framing) {
  const own = {
    location: ancestors ? { ancestorOrigins: ancestors } : {},
    document: { referrer },
    addEventListener: (_: string, listener: Listener) => listeners.push(listener),
  };
  return { ...own, parent: framed ? parent : undefined } as never;
}

type Framing = { ancestors?: string[]; referrer?: string; framed?: boolean };

function hear(event: Partial<Record<keyof MessageEvent, unknown>>): void {
  for (const listener of listeners) listener(event as MessageEvent);
}

function targets(): string[] {
  return sent.map(([, origin]) => origin);
}

beforeEach(() => {
  sent = [];
  listeners = [];
});

test('a message goes to the origin around the frame, if it is listed', () => {
  new ParentPage(frame({ ancestors: [SITE, OTHER] }), [OTHER, SITE]).say('sukoon:ready', { a: 1 });
  expect(sent).toEqual([[{ event: 'sukoon:ready', version: 1, payload: { a: 1 } }, SITE]]);
  new ParentPage(frame({ ancestors: [SITE] }), [OTHER]).say('sukoon:ready');
  new ParentPage(frame({ ancestors: [SITE] }), []).say('sukoon:ready');
  expect(sent).toHaveLength(1);
});

test('where the browser does not say the origin, each listed one is addressed, and never all', () => {
  new ParentPage(frame(), [SITE, OTHER]).say('sukoon:ready');
  expect(targets()).toEqual([SITE, OTHER]);
  sent = [];
  new ParentPage(frame({ referrer: `${OTHER}/page` }), [SITE, OTHER]).say('sukoon:ready');
  expect(targets()).toEqual([OTHER]);
  sent = [];
  new ParentPage(frame({ referrer: 'https://unlisted.example/' }), [SITE]).say('sukoon:ready');
  expect(targets()).toEqual([SITE]);
});

test('a page that is not framed speaks to nothing', () => {
  const own = frame({ framed: false }) as Record<string, unknown>;
  own.parent = own;
  new ParentPage(own as never, [SITE]).say('sukoon:ready');
  expect(sent).toEqual([]);
});

test('only the page around the frame is heard, from a listed origin', () => {
  const heard = vi.fn();
  const page = new ParentPage(frame(), [SITE, OTHER]);
  page.listen(heard);
  const data = { event: 'sukoon:prefill', payload: { name: 'Asha' } };
  hear({ source: parent, origin: 'https://unlisted.example', data });
  hear({ source: {}, origin: SITE, data });
  hear({ source: parent, origin: SITE, data: { event: 'other', payload: {} } });
  hear({ source: parent, origin: SITE, data: 'sukoon:prefill' });
  expect(heard).not.toHaveBeenCalled();
  hear({ source: parent, origin: SITE, data });
  expect(heard).toHaveBeenCalledWith({ ...data, version: 1 });
  // From then on the origin is known.
  page.say('sukoon:ready');
  expect(targets()).toEqual([SITE]);
});

test('data of any other form is no message', () => {
  for (const data of [null, 1, 'x', [], {}, { event: 1 }, { event: 'ready' }]) {
    expect(parseMessage(data)).toBeUndefined();
  }
  expect(parseMessage({ event: 'sukoon:hello' })?.payload).toEqual({});
});
