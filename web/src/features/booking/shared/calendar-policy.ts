/**
 * The calendar's library adds a style element for touch handling, which our content policy refuses
 * and the console would report. It adds none where its id is taken; the rule that it would have
 * written stands in our own classes.
 */
const STYLE_ID = 'react-aria-pressable-style';

export function allowStrictPolicy(): void {
  if (document.getElementById(STYLE_ID)) return;
  const placeholder = document.createElement('meta');
  placeholder.id = STYLE_ID;
  document.head.append(placeholder);
}
