import { LegalPage } from '@/features/legal/components/legal-page';

export default function Page() {
  return <LegalPage name="privacy" />;
}
