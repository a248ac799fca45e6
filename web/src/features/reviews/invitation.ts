/**
 * The secret of a follow-up mail's link. It travels behind the #, which no server and no other site
 * sees, and stays in this tab until a review was published with it.
 */
import { readTab, writeTab } from '@/lib/tab-storage';

const KEY = 'reviewInvitation';
const IN_ADDRESS = /(?:^#|&)invitation=([A-Za-z0-9_-]{1,128})(?:&|$)/;

/** The invitation that an address's fragment holds, or nothing. */
export function invitationIn(hash: string): string | undefined {
  return IN_ADDRESS.exec(hash)?.[1];
}

export function readInvitation(): string {
  return readTab(KEY) ?? '';
}

export function writeInvitation(secret: string | null): void {
  writeTab(KEY, secret);
}
