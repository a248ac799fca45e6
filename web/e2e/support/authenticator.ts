/** Second steps that tests have at hand: a device with passkeys, and an authenticator app. */
import { createHmac } from 'node:crypto';
import type { CDPSession, Locator, Page } from '@playwright/test';
import { codeOf, type Sandbox } from './sandbox';

/** A device of the browser that keeps passkeys, and whose owner always agrees. */
export class VirtualDevice {
  private readonly session: CDPSession;
  private readonly authenticatorId: string;

  private constructor(session: CDPSession, authenticatorId: string) {
    this.session = session;
    this.authenticatorId = authenticatorId;
  }

  /** Part of the browser's own device, or a key that is plugged in. */
  static async of(page: Page, transport: 'internal' | 'usb' = 'internal'): Promise<VirtualDevice> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualDevice(session, authenticatorId);
  }

  async passkeys(): Promise<number> {
    const { authenticatorId } = this;
    const { credentials } = await this.session.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials.length;
  }

  /** Whether its owner answers at once; else a request waits, as with a device in another room. */
  async answersAtOnce(enabled: boolean): Promise<void> {
    const { authenticatorId } = this;
    const options = { authenticatorId, enabled };
    await this.session.send('WebAuthn.setAutomaticPresenceSimulation', options);
  }

  /** The device is lost, with all that it kept. */
  async lose(): Promise<void> {
    const { authenticatorId } = this;
    await this.session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  }
}

/** Gives the proof that a new second step asks for, where it was refused: a code by mail. */
export async function proveByMail(part: Locator, sandbox: Sandbox, email: string): Promise<void> {
  await part.getByRole('button', { name: 'Email me a code' }).click();
  const mail = await sandbox.mail(email, /^Your code to go on/);
  await part.getByLabel('6-digit code from our mail').fill(codeOf(mail));
  await part.getByRole('button', { name: 'Confirm', exact: true }).click();
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

function bytesOf(secret: string): Buffer {
  const signs = secret.replace(/[\s=]/g, '').toUpperCase();
  const bits = [...signs].map((sign) => BASE32.indexOf(sign).toString(2).padStart(5, '0')).join('');
  const whole = bits.match(/.{8}/g) ?? [];
  return Buffer.from(whole.map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an app shows at a time (RFC 6238: SHA-1, six digits, thirty seconds). */
export function appCode(secret: string, at = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)));
  const hash = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = hash.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** A code of the step after this one: services accept it, and a used one of this step not again. */
export function nextAppCode(secret: string): string {
  return appCode(secret, Date.now() + STEP_MS);
}
