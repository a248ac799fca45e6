import { SignUpPage } from '@/features/account/components/sign-up-page';

export default SignUpPage;
