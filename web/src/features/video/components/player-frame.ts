/** Both faces of the player have these two boxes, so that starting it moves nothing. */
export const FRAME = 'relative overflow-hidden rounded-panel border border-hairline bg-surface';
export const PICTURE = 'relative aspect-video overflow-hidden';
export const BAR = 'flex min-h-[6.5rem] items-center sm:min-h-14';
