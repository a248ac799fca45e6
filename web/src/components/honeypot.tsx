type HoneypotProps = { value: string; onChange: (value: string) => void };

/**
 * A field that people neither see nor reach, and that programs which fill in everything fill in. It
 * lies beside the screen, because some of them leave out what is not displayed at all. Browsers and
 * password managers know a person's website and fill it in, `autoComplete` or not, and the message
 * would go nowhere; a topic is kept by none, and the attributes are how managers are kept out.
 */
export function Honeypot({ value, onChange }: HoneypotProps) {
  return (
    <div aria-hidden="true" className="absolute -left-[200vw] size-px overflow-hidden">
      <label>
        Topic
        <input
          type="text"
          name="topic"
          tabIndex={-1}
          autoComplete="off"
          data-1p-ignore="true"
          data-bwignore="true"
          data-form-type="other"
          data-lpignore="true"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
    </div>
  );
}
