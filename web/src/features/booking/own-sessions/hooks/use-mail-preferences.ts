/** What a client has chosen about mails: read, and saved as a whole, so that it may be saved again. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';
import { choiceOf, type MailChoice } from '../mail-preferences';

/** What holds now, and whether the client has chosen it. */
type Known = { choice: MailChoice; chosen: boolean };

function keyOf(userId: string) {
  return ['mail-preferences', userId];
}

export function useMailPreferences(userId: string) {
  const client = createClient(BookingService, useTransport());
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(userId),
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Known> => {
      const { preferences, chosen } = await client.getMailPreferences({}, { signal });
      return { choice: choiceOf(preferences), chosen };
    },
  });
  return { known: data, error, refetch: () => void refetch() };
}

export function useSaveMailPreferences(userId: string, onSaved: (choice: MailChoice) => void) {
  const client = createClient(BookingService, useTransport());
  const queries = useQueryClient();
  const queryKey = keyOf(userId);
  return useMutation({
    mutationFn: async ({ reminderHours, thanks }: MailChoice) => {
      const asked = { reminderHours: [...reminderHours], thanks };
      return choiceOf((await client.setMailPreferences({ preferences: asked })).preferences);
    },
    onSuccess: async (choice) => {
      // A read of before would bring the old choice back.
      await queries.cancelQueries({ queryKey });
      queries.setQueryData<Known>(queryKey, { choice, chosen: true });
      onSaved(choice);
    },
  });
}
