import styles from '@/ui/CheckMark.module.css';

interface CheckMarkProps {
  label: string;
  checked: boolean;
  /** Without it the box only shows whether something is on. */
  onChange?: (checked: boolean) => void;
  id?: string;
  describedBy?: string;
}

/** A box named by what stands beside it. */
export function CheckMark({ label, checked, onChange, id, describedBy }: CheckMarkProps) {
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
