/** A mail to the practice with everything that a cancellation needs. */

type Known = { email: string; service: string; reference: string };

export function cancellationMail({ email, service, reference }: Known): string {
  const lines = [
    'Name: ',
    'E-mail used for the booking: ',
    `Service: ${service}`,
    `Booking confirmation: ${reference}`,
    'Reason: ',
  ];
  const subject = reference ? `Cancellation of ${reference}` : 'Cancellation of a session';
  const query = { subject, body: lines.join('\r\n') };
  const written = Object.entries(query).map(([key, text]) => `${key}=${encodeURIComponent(text)}`);
  return `mailto:${email}?${written.join('&')}`;
}
