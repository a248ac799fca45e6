import { RecoverPage } from '@/features/account/components/recover-page';

export default RecoverPage;
