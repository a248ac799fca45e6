/** The script on another site's page. The widget in the frame is played by messages. */
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { begin } from './host';

const SITE = 'https://practice.example';

beforeAll(() => begin(`${SITE}/embed.js`));

beforeEach(() => {
  vi.restoreAllMocks();
});
afterEach(() => {
  document.body.replaceChildren();
});

function widget(attributes: Record<string, string>): {
  element: HTMLElement;
  frame: HTMLIFrameElement;
} {
  const element = document.createElement('sukoon-booking');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.body.append(element);
  const frame = element.querySelector('iframe');
  if (!frame) throw new Error('there is no frame');
  sentInto(frame);
  return { element, frame };
}

function say(frame: HTMLIFrameElement, event: string, payload = {}, origin = SITE): void {
  const message = { data: { event, payload }, origin, source: frame.contentWindow };
  window.dispatchEvent(new MessageEvent('message', message as MessageEventInit));
}

/** The window that a browser would open in the frame; what the script sends into it. */
function sentInto(frame: HTMLIFrameElement) {
  const postMessage = vi.fn();
  Object.defineProperty(frame, 'contentWindow', { value: { postMessage }, configurable: true });
  return postMessage;
}

test('settings are in the address of the frame, and what is personal is not', () => {
  const { frame } = widget({
    service: 'meditation',
    primary: '#2B6355',
    name: 'Asha Rao',
    email: 'asha@example.org',
    other: 'x',
  });
  expect(frame.src).toBe(`${SITE}/embed/book?service=meditation&primary=2B6355`);
  expect(frame.title).toBe('Book a session');
  expect(frame.referrerPolicy).toBe('origin');
});

test('what can be filled in goes to our origin alone, once the widget is ready', () => {
  const { element, frame } = widget({ name: 'Asha Rao' });
  const sent = sentInto(frame);
  element.setAttribute('email', 'asha@example.org');
  expect(sent).not.toHaveBeenCalled();
  say(frame, 'sukoon:ready');
  const payload = { name: 'Asha Rao', email: 'asha@example.org' };
  const message = { event: 'sukoon:prefill', version: 1, payload };
  expect(sent.mock.calls).toEqual([[message, SITE]]);
  element.setAttribute('name', 'Asha Devi Rao');
  expect(sent).toHaveBeenCalledTimes(2);
});

test('steps are events of the element; messages of others are not heard', () => {
  const { element, frame } = widget({});
  const heard = vi.fn();
  document.body.addEventListener('sukoon:event_scheduled', heard);
  say(frame, 'sukoon:event_scheduled', { serviceId: 'meditation' }, 'https://other.example');
  const { frame: second } = widget({});
  const foreign = { data: { event: 'sukoon:event_scheduled' }, origin: SITE, source: window };
  window.dispatchEvent(new MessageEvent('message', foreign as MessageEventInit));
  expect(heard).not.toHaveBeenCalled();
  say(frame, 'sukoon:event_scheduled', { serviceId: 'meditation' });
  expect(heard).toHaveBeenCalledOnce();
  const [event] = heard.mock.calls[0] ?? [];
  expect(event.target).toBe(element);
  expect(event.detail).toEqual({ serviceId: 'meditation' });
  expect(second.style.height).toBe('640px');
});

test('the frame has the height that the widget says, within reason', () => {
  const { frame } = widget({});
  say(frame, 'sukoon:resize', { height: 812 });
  expect(frame.style.height).toBe('812px');
  for (const height of [-5, 0, Number.NaN, 'x', undefined]) say(frame, 'sukoon:resize', { height });
  expect(frame.style.height).toBe('812px');
  say(frame, 'sukoon:resize', { height: 1e9 });
  expect(frame.style.height).toBe('20000px');
});

test('another setting is another widget, and what is taken away is not heard', () => {
  const { element, frame } = widget({ service: 'meditation' });
  element.setAttribute('service', 'karmic-healing');
  const next = element.querySelector('iframe');
  expect(element.querySelectorAll('iframe')).toHaveLength(1);
  expect(next?.src).toContain('service=karmic-healing');
  element.remove();
  const heard = vi.fn();
  window.addEventListener('sukoon:ready', heard);
  say(frame, 'sukoon:ready');
  expect(heard).not.toHaveBeenCalled();
});

test('a plain frame of the page is taken along, and one of another site is not', () => {
  const frames = [`${SITE}/embed/book?service=meditation`, 'https://other.example/embed/book'];
  for (const src of frames) {
    const frame = document.createElement('iframe');
    frame.dataset.sukoonBooking = '';
    frame.dataset.name = 'Asha';
    frame.src = src;
    document.body.append(frame);
  }
  begin(`${SITE}/embed.js`);
  const [ours, theirs] = document.querySelectorAll('iframe');
  if (!ours || !theirs) throw new Error('the frames are gone');
  const sent = sentInto(ours);
  say(ours, 'sukoon:ready');
  expect(sent.mock.calls[0]?.[0]).toMatchObject({ payload: { name: 'Asha', email: '' } });
  say(ours, 'sukoon:resize', { height: 700 });
  expect(ours.style.height).toBe('700px');
  expect(theirs.dataset.sukoonBooking).toBe('');
});

test('above a frame that says nothing for three seconds a link leads on', () => {
  vi.useFakeTimers();
  try {
    const { element, frame } = widget({ service: 'meditation', primary: '#2B6355' });
    const link = () => element.querySelector('a');
    vi.advanceTimersByTime(2_999);
    expect(link()).toBeNull();
    vi.advanceTimersByTime(1);
    expect(link()?.href).toBe(`${SITE}/book?service=meditation`);
    expect(link()?.textContent).toBe('Book a session (opens in a new tab)');
    // It was slow only.
    say(frame, 'sukoon:ready');
    expect(link()).toBeNull();
    const other = widget({});
    say(other.frame, 'sukoon:ready');
    vi.advanceTimersByTime(10_000);
    expect(other.element.querySelector('a')).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});
