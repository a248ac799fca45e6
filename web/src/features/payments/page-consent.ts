/** A consent as the payment page hands it in. */
export type ConsentInit = {
  version: string;
  fullName: string;
  email: string;
  signature: string;
  acceptedDeclaration: boolean;
};
