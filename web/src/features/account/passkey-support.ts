/** What this browser can do with passkeys; small, because pages ask before they load the rest. */

/** A passkey belongs to a name: at a bare network address, browsers refuse to make or use one. */
const NUMBER = /^[\d.]+$|:/;

/** Browsers without it, and pages that are not served safely, have no such object. */
export function hasPasskeys(): boolean {
  if (typeof window === 'undefined' || NUMBER.test(window.location.hostname)) return false;
  return typeof window.PublicKeyCredential === 'function';
}

/** Whether the browser offers passkeys among the words of a field. */
export async function offersInField(): Promise<boolean> {
  if (!hasPasskeys()) return false;
  const { isConditionalMediationAvailable } = PublicKeyCredential as Partial<
    typeof PublicKeyCredential
  >;
  try {
    return (await isConditionalMediationAvailable?.call(PublicKeyCredential)) === true;
  } catch {
    // Refused where the site's name is none that passkeys can have.
    return false;
  }
}

/** Names that people give to their devices; what the browser says of itself is a hint. */
const DEVICES: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android phone'],
  [/Macintosh/, 'Mac'],
  [/Windows/, 'Windows PC'],
  [/CrOS/, 'Chromebook'],
];

/** A name for a passkey that is made here. */
export function thisDevice(agent: string = navigator.userAgent): string {
  return DEVICES.find(([sign]) => sign.test(agent))?.[1] ?? 'This device';
}
