/**
 * Colours that another site wishes for the widget. A wish is taken only where every text stays readable,
 * that is with a contrast of 4.5 and more.
 */

export const CONTRAST_MIN = 4.5;

/** The site's own colours that a wish is compared with. */
const LIGHT = { primary: '#2b6355', backgrounds: ['#fbf8f3', '#ffffff'] };
const DARK = { primary: '#8ccbb6', backgrounds: ['#141a18', '#1c2421'] };

export type Theme = 'light' | 'dark' | 'auto';

export type ColourWishes = { primary: string; background: string; text: string };

export type Colours = {
  theme: Theme;
  /** Values of custom properties of the style sheet. */
  properties: Record<string, string>;
  /** Wishes that are not taken, with the reason. */
  ignored: { name: string; reason: string }[];
};

const HEX = /^#?([0-9a-f]{6})$/i;

/** "#2B6355" or "2b6355" as "#2b6355"; nothing for any other text. */
export function parseColour(text: string): string | undefined {
  const digits = HEX.exec(text)?.[1];
  return digits && `#${digits.toLowerCase()}`;
}

/** The relative luminance, from 0 for black to 1 for white. */
function luminance(colour: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/** The contrast of two colours, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function onColour(colour: string): string {
  return contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000';
}

function fits(colour: string, backgrounds: readonly string[]): boolean {
  return backgrounds.every((background) => contrast(colour, background) >= CONTRAST_MIN);
}

/** A background with its text: then there is one theme, and everything is made of these two. */
function ownGround(background: string, text: string) {
  const scheme: Theme = luminance(background) > 0.18 ? 'light' : 'dark';
  const properties = {
    '--paper': background,
    '--surface': background,
    '--sunken': background,
    '--ink': text,
    '--ink-2': text,
    '--hairline': text,
    '--control': text,
    '--focus': text,
  };
  return { theme: scheme, properties };
}

/** The brand's colours, in each scheme in which the wish is readable. */
function ownPrimary(primary: string, light: boolean, dark: boolean): Record<string, string> {
  const pair = (of: (colour: string) => string, usual: [string, string]) =>
    `light-dark(${light ? of(primary) : usual[0]}, ${dark ? of(primary) : usual[1]})`;
  return {
    '--brand': pair((colour) => colour, [LIGHT.primary, DARK.primary]),
    '--on-brand': pair(onColour, ['#ffffff', '#0e1f1a']),
  };
}

/** Which wishes can be fulfilled, and how. */
export function chooseColours(wishes: ColourWishes, wanted: Theme): Colours {
  const colours: Colours = { theme: wanted, properties: {}, ignored: [] };
  const ignore = (name: string, reason: string) => void colours.ignored.push({ name, reason });
  const read = (name: keyof ColourWishes) => {
    const colour = parseColour(wishes[name]);
    if (wishes[name] && !colour) ignore(name, 'it is no colour such as #2B6355');
    return colour;
  };
  const primary = read('primary');
  const background = read('background');
  const text = read('text');

  let own: string | undefined;
  if (background && text) {
    if (contrast(background, text) >= CONTRAST_MIN) {
      Object.assign(colours, ownGround(background, text));
      own = background;
    } else ignore('background', `its contrast to the text is below ${CONTRAST_MIN}`);
  } else if (background || text) {
    ignore(background ? 'background' : 'text', 'background and text go together');
  }

  const light = own ? [own] : colours.theme === 'dark' ? [] : LIGHT.backgrounds;
  const dark = own ? [own] : colours.theme === 'light' ? [] : DARK.backgrounds;
  const usable = (grounds: readonly string[]) =>
    primary !== undefined && grounds.length > 0 && fits(primary, grounds);
  if (primary && (usable(light) || usable(dark))) {
    Object.assign(colours.properties, ownPrimary(primary, usable(light), usable(dark)));
  } else {
    if (primary) ignore('primary', `its contrast to the background is below ${CONTRAST_MIN}`);
    // The usual brand need not be readable on another background; its text is.
    if (own && text) Object.assign(colours.properties, ownPrimary(text, true, true));
  }
  return colours;
}
