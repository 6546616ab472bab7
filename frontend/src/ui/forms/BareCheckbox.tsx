import styles from './BareCheckbox.module.css';

interface BareCheckboxProps {
  label: string;
  checked: boolean;
  /** Without it the checkbox is read-only. */
  onChange?: (checked: boolean) => void;
  id?: string;
  describedBy?: string;
}

/** A checkbox without visible label, named by the text beside it. */
export function BareCheckbox({ label, checked, onChange, id, describedBy }: BareCheckboxProps) {
  return (
    <input
      id={id}
      type="checkbox"
      aria-label={label}
      aria-describedby={describedBy}
      checked={checked}
      disabled={!onChange}
      onChange={(event) => onChange?.(event.target.checked)}
      className={styles.mark}
    />
  );
}
