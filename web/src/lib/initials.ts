type Person = { firstName: string; lastName: string; email: string };

/** "AR" of Asha Rao, each a whole letter; of the address where no name is known. */
export function initials({ firstName, lastName, email }: Person): string {
  const first = (text: string) => [...text][0] ?? '';
  return (`${first(firstName)}${first(lastName)}` || first(email) || '?').toUpperCase();
}
