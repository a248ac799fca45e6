/** A person is invited, proves the address, joins as a member, is changed and removed. */
import { nextAppCode } from './support/authenticator';
import { enrollApp, newPerson, signUpQuietly } from './support/people';
import { codeOf } from './support/sandbox';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

test('an invited person joins the practice and is removed again', async ({
  page,
  practice,
  sandbox,
  complaints,
}) => {
  complaints.expect(refusal('/rpc/booking.v1.OrganisationService/AcceptInvitation'));
  const person = newPerson('Priya');
  const invited = practice.staff('members', 'invite', person.email, '--role', 'front-desk');
  expect(invited).toContain(person.email);
  const mail = await sandbox.mail(person.email, /^You are invited to join/);
  const address = /https?:\/\/\S+\/invitations#key=\S{43}/.exec(mail.text)?.[0] ?? '';
  expect(address).not.toBe('');

  // Signed out: the page says what it is about, and leads to an account and back.
  await page.goto(address);
  await expect(page.getByText('Front desk')).toBeVisible();
  const token = await signUpQuietly(page, practice.url, person);
  await page.goto('/invitations');
  await page.getByRole('button', { name: 'Accept' }).click();

  // A member needs a second step from the first call on, so it comes first.
  await expect(page.getByText('Set up a second step first')).toBeVisible();
  const secret = await enrollApp(page, { url: practice.url, token }, async () =>
    codeOf(await sandbox.mail(person.email, /^Your code to go on/)),
  );
  await page.goto('/invitations');
  await page.getByRole('button', { name: 'Accept' }).click();

  // The account has not proved the address: no rights yet.
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page
    .getByLabel('Code from our mail')
    .fill(codeOf(await sandbox.mail(person.email, /^Confirm your e-mail address/)));
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(page.getByText('This invitation is accepted')).toBeVisible();

  // The account's menu leads to the practice now.
  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('link', { name: "The practice's members" }).click();
  await expect(page.getByText('Front desk')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Members', exact: true })).toHaveCount(0);

  const listed = practice.staff('members');
  const member = listed.split('\n').find((line) => line.includes(person.email)) ?? '';
  const id = /usr_[0-9a-f]{32}/.exec(member)?.[0] ?? '';
  practice.staff('members', 'role', id, 'admin');
  // The session that the code opened has not shown the second step yet.
  for (const list of ['ListMembers', 'ListInvitations', 'ListMembershipChanges']) {
    complaints.expect(refusal(`/rpc/booking.v1.OrganisationStaffService/${list}`));
  }
  await page.reload();
  await page.getByRole('link', { name: 'Go to the Second Step' }).click();
  await page.getByLabel('6-digit code').fill(nextAppCode(secret));
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(page.getByText(`${person.email} (you)`)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Members', exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'What Has Changed' })).toBeVisible();

  // By keyboard: the dialog takes the focus and gives it back.
  const leave = page.getByRole('button', { name: 'Leave the practice' });
  await leave.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(leave).toBeFocused();

  practice.staff('members', 'remove', id, '--yes');
  await page.reload();
  await expect(page.getByText(/not a member of the practice/)).toBeVisible();
});
