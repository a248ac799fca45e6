import { SignInPage } from '@/features/account/components/sign-in-page';

export default SignInPage;
