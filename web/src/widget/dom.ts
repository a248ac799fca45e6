/** Builds elements. Values are texts and attributes, so nothing of them is read as HTML. */

type Child = Node | string;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function button(label: string, onPress: () => void, kind = 'button'): HTMLButtonElement {
  const made = element('button', { type: 'button', class: kind }, label);
  made.addEventListener('click', () => {
    // A button that is off stays reachable by keyboard, so that the focus is not lost.
    if (made.getAttribute('aria-disabled') !== 'true') onPress();
  });
  return made;
}

/** Words for screen readers alone. */
export function hidden(text: string): HTMLSpanElement {
  return element('span', { class: 'hidden' }, text);
}

type Option = { value: string; label: string };

/** A choice with its label; `onChoose` gets the value. */
export function choice(
  label: string,
  { options, value }: { options: readonly Option[]; value: string },
  onChoose: (value: string) => void,
): HTMLElement {
  const select = element(
    'select',
    {},
    ...options.map((one) => element('option', { value: one.value }, one.label)),
  );
  select.value = value;
  select.addEventListener('change', () => onChoose(select.value));
  return element('label', { class: 'field' }, element('span', {}, label), select);
}
