import styles from './ImportantDate.module.css';

interface ImportantDateProps {
  /** The machine-readable date. */
  dateTime: string;
  /** The formatted date. */
  children: string;
}

/** An emphasized date that does not wrap. */
export function ImportantDate({ dateTime, children }: ImportantDateProps) {
  return (
    <strong className={styles.day}>
      <time dateTime={dateTime}>{children}</time>
    </strong>
  );
}
