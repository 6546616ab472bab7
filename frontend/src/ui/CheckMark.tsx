import styles from '@/ui/CheckMark.module.css';

/** A box that shows whether something is on, and cannot be changed here. */
export function CheckMark({ label, checked }: { label: string; checked: boolean }) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={checked}
      readOnly
      disabled
      className={styles.mark}
    />
  );
}
