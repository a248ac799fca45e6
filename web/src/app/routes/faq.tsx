import { FaqPage } from '@/features/faq/components/faq-page';

export default FaqPage;
