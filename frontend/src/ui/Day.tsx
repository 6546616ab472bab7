import styles from '@/ui/Day.module.css';

interface DayProps {
  /** For machines. */
  dateTime: string;
  /** As it is read. */
  children: string;
}

/** A date that matters; never broken over two lines. */
export function Day({ dateTime, children }: DayProps) {
  return (
    <strong className={styles.day}>
      <time dateTime={dateTime}>{children}</time>
    </strong>
  );
}
