/** Files that may be chosen as a photo. */
import type { Page } from '@playwright/test';

export type Chosen = { name: string; mimeType: string; buffer: Buffer };

const MEGABYTE = 1024 * 1024;

/** A JPEG that this browser makes, with as many pixels as asked for. */
export async function photo(page: Page, width: number, height: number): Promise<Chosen> {
  const base64 = await page.evaluate(
    ([w, h]) => {
      const canvas = document.createElement('canvas');
      canvas.width = w;
      canvas.height = h;
      const brush = canvas.getContext('2d');
      if (!brush) throw new Error('This browser does not draw.');
      const sky = brush.createLinearGradient(0, 0, w, h);
      sky.addColorStop(0, '#f8e6da');
      sky.addColorStop(1, '#1f4a3f');
      brush.fillStyle = sky;
      brush.fillRect(0, 0, w, h);
      return canvas.toDataURL('image/jpeg', 0.9).replace(/^.*,/, '');
    },
    [width, height] as const,
  );
  return { name: 'lake.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(base64, 'base64') };
}

/** The same photo with so much behind it that it has six megabytes. */
export function tooLarge({ buffer, ...rest }: Chosen): Chosen {
  return { ...rest, buffer: Buffer.concat([buffer], 6 * MEGABYTE) };
}

export const NOTES: Chosen = {
  name: 'notes.txt',
  mimeType: 'text/plain',
  buffer: Buffer.from('Not a picture at all.'),
};

/** What calls itself a photo and is none. */
export const DISGUISED: Chosen = { ...NOTES, name: 'notes.jpg', mimeType: 'image/jpeg' };
