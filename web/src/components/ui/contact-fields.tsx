/** The inputs for what a person is called and how they are reached, alike in every form. */
import type { Fields } from '@/lib/use-fields';
import { TextField, type TextFieldProps } from './text-field';

type PartProps = Omit<TextFieldProps, 'label'> & Partial<Pick<TextFieldProps, 'label'>>;

export function EmailField(props: PartProps) {
  return <TextField label="Email" type="email" inputMode="email" autoComplete="email" {...props} />;
}

export function PhoneField(props: PartProps) {
  return <TextField label="Phone" type="tel" inputMode="tel" autoComplete="tel" {...props} />;
}

/** The part of a form's fields that has these names. */
type InputOf<Name extends string> = {
  input: (name: Name) => ReturnType<Fields<Record<string, string>>['input']>;
};

type NameFieldsProps = { fields: InputOf<'firstName' | 'lastName'>; lastOptional?: boolean };

export function NameFields({ fields, lastOptional = false }: NameFieldsProps) {
  return (
    <>
      <TextField label="First name" autoComplete="given-name" {...fields.input('firstName')} />
      <TextField
        label="Last name"
        optional={lastOptional}
        autoComplete="family-name"
        {...fields.input('lastName')}
      />
    </>
  );
}

type ContactFieldsProps = {
  fields: InputOf<'firstName' | 'lastName' | 'email' | 'phone'>;
  phoneOptional?: boolean;
};

/** Names, address and phone, beside each other where there is room. */
export function ContactFields({ fields, phoneOptional = false }: ContactFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <NameFields fields={fields} />
      <EmailField {...fields.input('email')} />
      <PhoneField optional={phoneOptional} {...fields.input('phone')} />
    </div>
  );
}
