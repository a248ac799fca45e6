/** What was chosen in the scheduling provider's own widget: its message, and what this tab keeps of it. */
import { readTab, writeTab } from '@/lib/tab-storage';

/** The name of the widget's message, as the provider documents it. */
const SCHEDULED = 'calendly.event_scheduled';
/** The name under which the provider knows what came from this page. */
const SOURCE = 'sukoon';
const KEY = 'scheduledEvent';

/** The provider's addresses of an event and of its invitee. */
export type ScheduledUris = { eventUri: string; inviteeUri: string };

/** An event that the server has taken over, and the time that it stands for. */
export type ScheduledEvent = { serviceId: string; slot: string; eventUri: string };

function textAt(value: unknown, ...path: string[]): string {
  const found = path.reduce<unknown>((at, name) => {
    return typeof at === 'object' && at !== null
      ? (at as Record<string, unknown>)[name]
      : undefined;
  }, value);
  return typeof found === 'string' ? found : '';
}

/** The addresses that a message names; nothing for any other message. */
export function scheduledUris(data: unknown): ScheduledUris | undefined {
  if (textAt(data, 'event') !== SCHEDULED) return undefined;
  const eventUri = textAt(data, 'payload', 'event', 'uri');
  const inviteeUri = textAt(data, 'payload', 'invitee', 'uri');
  return eventUri && inviteeUri ? { eventUri, inviteeUri } : undefined;
}

/** The address of the frame. The provider keeps the id with the event, and the server asks for it. */
export function frameAddress(url: string, visitId: string, host: string): string {
  const address = new URL(url);
  address.searchParams.set('embed_domain', host);
  address.searchParams.set('embed_type', 'Inline');
  address.searchParams.set('utm_source', SOURCE);
  address.searchParams.set('utm_content', visitId);
  return address.href;
}

export function writeScheduledEvent(event: ScheduledEvent | null): void {
  writeTab(KEY, event && JSON.stringify(event));
}

/** The event of a chosen time, or empty where it was chosen in our own calendar. */
export function scheduledEventOf(serviceId: string, slot: string): string {
  try {
    const kept: unknown = JSON.parse(readTab(KEY) ?? 'null');
    const same = textAt(kept, 'serviceId') === serviceId && textAt(kept, 'slot') === slot;
    return same ? textAt(kept, 'eventUri') : '';
  } catch {
    return '';
  }
}
