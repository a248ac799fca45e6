/** What the player says. */

export const COVER = 'The video loads only when you press play.';
export const LOADING = 'Loading video…';
export const FALLBACK = 'Unable to load video. Please check the video file exists and try again.';
export const NO_CAPTIONS = 'The captions could not be loaded.';
/** The player's own code did not come. */
export const NO_PLAYER = 'the connection was lost';

export function failureTitle(reason: string | null): string {
  return `Failed to load video: ${reason || 'Unknown error'}`;
}

const REASONS: Record<number, string> = {
  1: 'loading was stopped',
  2: 'the connection was lost',
  3: 'the file is damaged',
  4: 'the file was not found, or this browser cannot play it',
};

/**
 * A media error's code in words, or nothing for an unknown one. The browser's own text is not for
 * visitors.
 */
export function reasonOf(code: number | undefined, online: boolean): string {
  if (!online) return 'you are offline';
  return (code === undefined ? undefined : REASONS[code]) ?? '';
}

/** "0:05", "12:34", "1:02:03". */
export function timeText(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}
