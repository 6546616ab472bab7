import styles from '@/ui/Day.module.css';

/** As `formatDate` draws it; split at, it comes back as every second part. */
const DAY = /([A-Z][a-z]+ \d{1,2}, \d{4})/;

/** A sentence whose dates are not broken over two lines. */
export function Dated({ children }: { children: string }) {
  const parts = children.split(DAY);
  return parts.map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same day may be named twice.
      <span key={place} className={styles.day}>
        {part}
      </span>
    ),
  );
}
