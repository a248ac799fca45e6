/** The look itself: it has to see what is broken, and to let pass what is not. */
import { expect, test } from 'vitest';
import { expectAccessible } from './accessible';

test('a form with a label passes', async () => {
  document.body.innerHTML = '<main><label>Name <input></label></main>';
  await expectAccessible();
});

test.each([
  ['a field without a label', '<input>', 'label'],
  ['a button without a name', '<button></button>', 'button-name'],
  ['a picture without a text', '<img src="/a.png">', 'image-alt'],
  ['a role that does not exist', '<div role="buton">Press</div>', 'aria-roles'],
  ['a name that points nowhere', '<button aria-labelledby="gone"></button>', 'button-name'],
])('%s is found', async (_, broken, rule) => {
  document.body.innerHTML = broken;
  await expect(expectAccessible()).rejects.toThrow(rule);
});
