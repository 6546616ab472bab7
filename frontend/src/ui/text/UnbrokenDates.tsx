import styles from './ImportantDate.module.css';

/**
 * Matches the output of `formatDate` and `formatShortDate`. The group makes `split` return each
 * date as every second part.
 */
const DAY = /([A-Z][a-z]+ \d{1,2}, \d{4})/;

/** A sentence whose dates do not wrap. */
export function UnbrokenDates({ children }: { children: string }) {
  const parts = children.split(DAY);
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same date may occur twice.
      <span key={index} className={styles.day}>
        {part}
      </span>
    ),
  );
}
