import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classes } from '@/lib/classes';
import { AppLink } from './app-link';
import { Spinner } from './spinner';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';
export type ButtonSize = 'sm' | 'md' | 'lg';

type Look = {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Fills the width of its container. */
  block?: boolean;
  children: ReactNode;
  className?: string;
};

type AsButton = Look &
  ButtonHTMLAttributes<HTMLButtonElement> & {
    /** While true the button does nothing and shows `busyText`, or its own words. */
    busy?: boolean;
    busyText?: string;
    ref?: Ref<HTMLButtonElement>;
    to?: undefined;
    href?: undefined;
  };

type Anchor = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>;
/** `to` stays inside the site; `href` is always a full navigation. */
type AsLink = Look & Anchor & ({ to: string; href?: undefined } | { href: string; to?: undefined });

export type ButtonProps = AsButton | AsLink;

const BASE =
  'inline-flex items-center justify-center gap-2 rounded-full font-semibold text-center ' +
  'leading-tight no-underline transition-colors duration-150 select-none ' +
  'disabled:opacity-55 aria-disabled:opacity-70';

const VARIANTS: Record<ButtonVariant, string> = {
  // The border shows where a person's own colours take the ground away.
  primary: 'bg-brand text-on-brand border border-transparent hover:bg-brand-strong shadow-soft',
  secondary: 'bg-surface text-ink border border-control hover:border-brand hover:text-brand',
  quiet: 'text-brand hover:bg-brand-soft',
  danger: 'bg-err text-surface border border-transparent hover:opacity-90',
};

/** With large text on a small screen the label needs the room. */
const SIZES: Record<ButtonSize, string> = {
  sm: 'min-h-11 px-[min(1rem,5vw)] py-2 text-sm',
  md: 'min-h-12 px-[min(1.5rem,7vw)] py-2.5 text-base',
  lg: 'min-h-14 px-[min(2rem,9vw)] py-3 text-lg',
};

/** Beside a wide element a button's label does not wrap. */
const AMONG_OTHERS = 'wrap-break-word';

function look({ variant = 'primary', size = 'md', block, className }: Look): string {
  return classes(BASE, VARIANTS[variant], SIZES[size], block ? 'w-full' : AMONG_OTHERS, className);
}

function LinkButton({ variant, size, block, className, to, href, children, ...rest }: AsLink) {
  const style = look({ variant, size, block, className, children });
  if (to !== undefined) {
    return (
      <AppLink to={to} className={style} {...rest}>
        {children}
      </AppLink>
    );
  }
  return (
    <a href={href} className={style} {...rest}>
      {children}
    </a>
  );
}

function PlainButton(props: AsButton) {
  const { variant, size, block, className, busy, busyText, children, onClick, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      className={look({ variant, size, block, className, children })}
      aria-disabled={busy || rest['aria-disabled'] || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <Spinner /> : null}
      {busy ? (busyText ?? children) : children}
    </button>
  );
}

/** A button, or a link that looks like one. */
export function Button(props: ButtonProps) {
  if (props.to !== undefined || props.href !== undefined) return <LinkButton {...props} />;
  return <PlainButton {...(props as AsButton)} />;
}
