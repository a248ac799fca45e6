/** The keys of the flow (`FLOW_KEYS`); this code only writes them. */
import { FLOW_KEYS, writeTab } from '@/lib/tab-storage';

type Named = { serviceId: string; title: string };

export function writeFlowKeys({ serviceId: id, title }: Named, price: string, slot = ''): void {
  writeTab(FLOW_KEYS.service, JSON.stringify({ id, title, price }));
  writeTab(FLOW_KEYS.dateTime, slot);
}
