/** Gives each file of tests the window as the first file of its process found it. */
import { resolve } from 'node:path';

const OURS = resolve(import.meta.dirname, '..');

/** Whether our code called the function that asks: what libraries add once stays, as they do. */
function calledByOurs(): boolean {
  return (new Error().stack?.split('\n')[3] ?? '').includes(OURS);
}

/** Takes away the listeners that our code has added to the window or the document. */
function watchListeners(target: EventTarget): () => void {
  const own = Object.hasOwn(target, 'addEventListener');
  const add = target.addEventListener;
  const added: Parameters<typeof add>[] = [];
  target.addEventListener = function addEventListener(...listened: Parameters<typeof add>) {
    if (calledByOurs()) added.push(listened);
    add.apply(target, listened);
  };
  return () => {
    if (own) target.addEventListener = add;
    else Reflect.deleteProperty(target, 'addEventListener');
    for (const listened of added) target.removeEventListener(...listened);
  };
}

/** Clears the timers that still run. */
function watchTimers(): () => void {
  const { setTimeout, setInterval } = globalThis;
  let running: Set<NodeJS.Timeout> | undefined = new Set();
  const watched = (start: typeof setTimeout | typeof setInterval) =>
    ((...call: Parameters<typeof setTimeout>) => {
      const timer = start(...call);
      // A library may keep the function that it found at first.
      running?.add(timer);
      return timer;
    }) as typeof setTimeout & typeof setInterval;
  Object.assign(globalThis, { setTimeout: watched(setTimeout), setInterval: watched(setInterval) });
  return () => {
    Object.assign(globalThis, { setTimeout, setInterval });
    running?.forEach(clearTimeout);
    running = undefined;
  };
}

/** Closes the channels that were opened: they reach all of a process. */
function watchChannels(): () => void {
  const Channel = globalThis.BroadcastChannel;
  const opened: BroadcastChannel[] = [];
  globalThis.BroadcastChannel = class extends Channel {
    constructor(name: string) {
      super(name);
      opened.push(this);
    }
  };
  return () => {
    globalThis.BroadcastChannel = Channel;
    for (const channel of opened) channel.close();
  };
}

/** Ends the observers of our code: they would see the pages of the next files. */
function watchObservers(): () => void {
  const Observer = globalThis.MutationObserver;
  const made: MutationObserver[] = [];
  globalThis.MutationObserver = class extends Observer {
    constructor(note: MutationCallback) {
      super(note);
      if (calledByOurs()) made.push(this);
    }
  };
  return () => {
    globalThis.MutationObserver = Observer;
    for (const observer of made) observer.disconnect();
  };
}

/** Returns what brings the window back; a file begins with an empty page at the first address. */
export function keepWindow(): () => void {
  const ofNavigator = Reflect.ownKeys(navigator);
  const address = window.location.href;
  const listeners = [watchListeners(window), watchListeners(document)];
  const ends = [...listeners, watchTimers(), watchChannels(), watchObservers()];
  return () => {
    for (const end of ends) end();
    for (const name of Reflect.ownKeys(navigator)) {
      if (!ofNavigator.includes(name)) Reflect.deleteProperty(navigator, name);
    }
    document.head.replaceChildren();
    document.body.replaceChildren();
    for (const element of [document.documentElement, document.body]) {
      for (const { name } of [...element.attributes]) element.removeAttribute(name);
    }
    window.history.replaceState(null, '', address);
  };
}
