/** What went wrong with members and invitations, where the general words would not say it. */
import { describeError } from '@/lib/errors';

type Words = { title: string; message: string };

const BY_REASON: Record<string, Words> = {
  INVITATION_NOT_FOUND: {
    title: 'We do not know this invitation',
    message:
      'The link may be incomplete. If the invitation was sent again, the newest mail has the link.',
  },
  INVITATION_FOR_ANOTHER_ADDRESS: {
    title: 'This invitation is for another address',
    message: 'Please sign in with the e-mail address that it was sent to.',
  },
  ROLE_ABOVE_OWN: {
    title: 'Your role does not allow this',
    message: 'Only an owner can change owners, or make a member one.',
  },
  ROLE_NOT_ALLOWED: {
    title: 'Your role does not allow this',
    message: 'Members are managed by the owners and admins of the practice.',
  },
  STAFF_ONLY: {
    title: 'You are not a member any more',
    message: 'Please ask an owner of the practice.',
  },
  PRACTITIONER_NOT_FOUND: {
    title: 'Please choose a calendar',
    message: 'A practitioner needs one of the calendars of the practice.',
  },
  MEMBER_NOT_FOUND: {
    title: 'This member has left',
    message: 'The list has changed since it was loaded. Please look again.',
  },
  TOO_MANY_INVITATIONS: {
    title: 'Too many invitations',
    message: 'No more can be sent today. Please try again tomorrow, or invite the address anew.',
  },
};

/** The words for an error, or undefined where the general ones fit. */
export function organisationWords(error: unknown): Words | undefined {
  return BY_REASON[describeError(error).reason];
}
