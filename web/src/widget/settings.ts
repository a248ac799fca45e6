/** What the page around the widget asks for, from the frame's address. */
import { type Colours, chooseColours, type Theme } from './colours';
import type { Offer } from './offer';
import type { SettingName } from './settings-names';
import { type Words, wordsOf } from './words';

/** A setting that was not taken, and why. */
export type IgnoredSetting = { name: string; reason: string };

export type Settings = {
  /** The one session that is offered; empty for a choice of all. */
  serviceId: string;
  /** The package that is offered instead; empty for sessions. */
  packageId: string;
  /** The practitioner that is chosen first; empty for anyone. */
  practitionerId: string;
  words: Words;
  colours: Colours;
  ignored: IgnoredSetting[];
};

const THEMES: readonly Theme[] = ['light', 'dark', 'auto'];

function readTheme(text: string, ignored: IgnoredSetting[]): Theme {
  const theme = THEMES.find((one) => one === text);
  if (text && !theme) ignored.push({ name: 'theme', reason: 'it is light, dark or auto' });
  return theme ?? 'auto';
}

/** Reads the query. A setting that makes no sense is left out, and listed. */
export function readSettings(search: string, offer: Offer): Settings {
  const query = new URLSearchParams(search);
  const value = (name: SettingName) => query.get(name)?.trim() ?? '';
  const ignored: IgnoredSetting[] = [];
  const offered = (name: 'service' | 'package', ids: readonly string[]) => {
    const id = value(name);
    if (id && !ids.includes(id)) ignored.push({ name, reason: 'the practice does not offer it' });
    return ids.includes(id) ? id : '';
  };
  const services = offer.services.map((one) => one.serviceId);
  const serviceId = offered('service', services);
  const packageId = offered(
    'package',
    offer.packages.map((one) => one.packageId),
  );
  const language = value('language');
  const { words, known } = wordsOf(language || 'en');
  if (!known) ignored.push({ name: 'language', reason: 'en is what there is' });
  const theme = readTheme(value('theme'), ignored);
  const wishes = {
    primary: value('primary'),
    background: value('background'),
    text: value('text'),
  };
  const colours = chooseColours(wishes, theme);
  ignored.push(...colours.ignored);
  return { serviceId, packageId, practitionerId: value('practitioner'), words, colours, ignored };
}
