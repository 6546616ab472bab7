import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from '@/ui/Totals.module.css';

/** Amounts and what they add up to: give it `MoneyRow`s. */
export function Totals({ children }: { children: ReactNode }) {
  return <dl className={styles.totals}>{children}</dl>;
}

interface MoneyRowProps {
  label: ReactNode;
  /** Already formatted: `$6.99`; several, one under the other, where they do not add up. */
  amount: string | readonly string[];
  note?: ReactNode;
  /** A plain line, something taken off, or the sum. */
  kind?: 'line' | 'saving' | 'total';
}

/** One line of a `Totals`. */
export function MoneyRow({ label, amount, note, kind = 'line' }: MoneyRowProps) {
  const amounts = typeof amount === 'string' ? [amount] : amount;
  return (
    <div className={classNames(styles.row, styles[kind])}>
      <dt className={styles.term}>
        <span>{label}</span>
        {note && <span className={styles.note}> {note}</span>}
      </dt>
      <dd className={styles.amount}>
        {amounts.map((one) => (
          <span key={one} className={styles.figure}>
            {one}
          </span>
        ))}
      </dd>
    </div>
  );
}
