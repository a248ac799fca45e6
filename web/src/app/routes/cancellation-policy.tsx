import { PageHeading } from '@/components/ui/page-heading';

export default function Page() {
  return (
    <div className="container-page py-12">
      <PageHeading>Cancellation Policy</PageHeading>
    </div>
  );
}
