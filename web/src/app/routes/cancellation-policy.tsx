import { PolicyPage } from '@/features/policy/components/policy-page';

export default PolicyPage;
