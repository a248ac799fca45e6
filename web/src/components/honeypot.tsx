type HoneypotProps = { value: string; onChange: (value: string) => void };

/**
 * A field that people neither see nor reach, and that programs which fill in everything fill in. It
 * lies beside the screen, because some of them leave out what is not displayed at all.
 */
export function Honeypot({ value, onChange }: HoneypotProps) {
  return (
    <div aria-hidden="true" className="absolute -left-[200vw] size-px overflow-hidden">
      <label>
        Website
        <input
          type="text"
          name="website"
          tabIndex={-1}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
    </div>
  );
}
