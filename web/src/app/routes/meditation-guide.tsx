import { GuidePage } from '@/features/guide/components/guide-page';

export default GuidePage;
