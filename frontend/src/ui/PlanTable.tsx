import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from '@/ui/PlanTable.module.css';
import { ServicePicture } from '@/ui/ServicePicture';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

export interface PlanLine {
  key: string;
  name: string;
  picture: string | null;
  /** Already formatted: `$6.99`. */
  amount: string;
  /** What the amount is for: `per month`. */
  per: string;
  notes: readonly string[];
  /** A box before it, checked or not; none where it is left out. */
  mark?: ReactNode;
  action?: ReactNode;
}

interface SumLine {
  key: string;
  label: string;
  amount: string;
  note?: string;
  kind: 'saving' | 'total';
}

interface PlanTableProps {
  /** Said to a screen reader; the heading above it says it to the eye. */
  caption: string;
  lines: readonly PlanLine[];
  sums: readonly SumLine[];
}

/** Plans with what each costs and what is to be known of it, then what they add up to. */
export function PlanTable({ caption, lines, sums }: PlanTableProps) {
  return (
    <table className={styles.table}>
      <caption>
        <VisuallyHidden>{caption}</VisuallyHidden>
      </caption>
      <thead>
        <tr>
          <th scope="col">
            <VisuallyHidden>Subscription</VisuallyHidden>
          </th>
          <th scope="col">
            <VisuallyHidden>Amount</VisuallyHidden>
          </th>
        </tr>
      </thead>
      {lines.map((line) => (
        <PlanRows key={line.key} line={line} />
      ))}
      <tfoot>
        {sums.map((sum) => (
          <SumRow key={sum.key} sum={sum} />
        ))}
      </tfoot>
    </table>
  );
}

/** What is to be known of a plan has a row of its own, so that on a phone it is not squeezed beside the amount. */
function PlanRows({ line }: { line: PlanLine }) {
  const { name, picture, amount, per, notes, mark, action } = line;
  const isPlain = notes.length === 0 && !action;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" className={styles.planCell}>
          <div className={styles.plan}>
            {mark}
            <ServicePicture src={picture} size={48} />
            <span className={styles.name}>{name}</span>
          </div>
        </th>
        <td className={styles.planCell}>
          <span className={styles.amount}>{amount}</span>
          <span className={styles.per}>{per}</span>
        </td>
      </tr>
      {!isPlain && (
        <tr>
          <td colSpan={2} className={styles.notes}>
            {notes.map((note) => (
              <p key={note}>{note}</p>
            ))}
            {action}
          </td>
        </tr>
      )}
    </tbody>
  );
}

function SumRow({ sum }: { sum: SumLine }) {
  const { label, amount, note, kind } = sum;
  return (
    <tr className={classNames(styles.sum, styles[kind])}>
      <th scope="row" className={styles.sumCell}>
        {label}
        {note && <span className={styles.per}> {note}</span>}
      </th>
      <td className={styles.sumCell}>
        <span className={styles.amount}>{amount}</span>
      </td>
    </tr>
  );
}
