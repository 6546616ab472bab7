import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import { Dated } from '@/ui/Dated';
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
  /** The id of that box, where a press on the name is to be one on the box. */
  markId?: string;
  action?: ReactNode;
}

interface SumLine {
  key: string;
  label: string;
  /** None where the label says it all. */
  amount?: string;
  note?: string;
  kind: 'saving' | 'total';
}

/** The id of what is to be known of a plan, which describes the box before it. */
export function notesId(key: string): string {
  return `${key}-notes`;
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
      {sums.length > 0 && (
        <tfoot>
          {sums.map((sum) => (
            <SumRow key={sum.key} sum={sum} />
          ))}
        </tfoot>
      )}
    </table>
  );
}

/** What is to be known of a plan has a row of its own, so that on a phone it is not squeezed beside the amount. */
function PlanRows({ line }: { line: PlanLine }) {
  const { key, amount, per, notes, action, mark } = line;
  const isNoted = notes.length > 0 || Boolean(action);
  const cell = classNames(styles.planCell, isNoted && styles.noted);
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" className={cell}>
          <PlanName line={line} />
        </th>
        <td className={cell}>
          <span className={styles.amount}>{amount}</span>
          <span className={styles.per}>{per}</span>
        </td>
      </tr>
      {isNoted && (
        <tr>
          <td
            colSpan={2}
            className={classNames(styles.notes, mark !== undefined && styles.marked)}
            id={notesId(key)}
          >
            {notes.map((note) => (
              <p key={note}>
                <Dated>{note}</Dated>
              </p>
            ))}
            {action}
          </td>
        </tr>
      )}
    </tbody>
  );
}

function PlanName({ line: { mark, markId, picture, name } }: { line: PlanLine }) {
  const words = (
    <>
      <ServicePicture src={picture} size={48} />
      <span className={styles.name}>{name}</span>
    </>
  );
  return (
    <div className={styles.plan}>
      {mark}
      {markId ? (
        <label htmlFor={markId} className={styles.press}>
          {words}
        </label>
      ) : (
        words
      )}
    </div>
  );
}

function SumRow({ sum }: { sum: SumLine }) {
  const { label, amount, note, kind } = sum;
  return (
    <tr className={classNames(styles.sum, styles[kind])}>
      <th scope="row" colSpan={amount === undefined ? 2 : 1} className={styles.sumCell}>
        {label}
        {note && <span className={styles.per}> {note}</span>}
      </th>
      {amount !== undefined && (
        <td className={styles.sumCell}>
          <span className={styles.amount}>{amount}</span>
        </td>
      )}
    </tr>
  );
}
