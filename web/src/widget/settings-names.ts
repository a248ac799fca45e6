/** The names of settings in the frame's address, which are those of the element's attributes. */
export const SETTING_NAMES = [
  'service',
  'package',
  'practitioner',
  'language',
  'theme',
  'primary',
  'background',
  'text',
] as const;

export type SettingName = (typeof SETTING_NAMES)[number];
