import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import { SentenceCase } from '@/ui/text/SentenceCase';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { useMediaQuery } from '@/ui/useMediaQuery';
import styles from './Table.module.css';

const PHONE = '(max-width: 47.99rem)';

export interface Column<Row> {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
  /** Marks the column that names the row; one per table. */
  isRowHeader?: boolean;
}

interface TableProps<Row> {
  /** For screen readers only; a visible heading says the same. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}

/** A table; on a phone, where the columns do not fit, a list of labeled values for each row. */
export function Table<Row>(props: TableProps<Row>) {
  const isPhone = useMediaQuery(PHONE);
  return isPhone ? <LabelledLists {...props} /> : <WideTable {...props} />;
}

function WideTable<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <table className={styles.table}>
      <caption>
        <VisuallyHidden>{caption}</VisuallyHidden>
      </caption>
      <thead>
        <tr>
          {columns.map(({ key, header, align }) => (
            <th key={key} scope="col" className={classNames(align === 'end' && styles.end)}>
              <SentenceCase>{header}</SentenceCase>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map((column) => (
              <TableCell key={column.key} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TableCell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const className = classNames(column.align === 'end' && styles.end);
  if (column.isRowHeader) {
    return (
      <th scope="row" className={className}>
        {column.cell(row)}
      </th>
    );
  }
  return <td className={className}>{column.cell(row)}</td>;
}

function LabelledLists<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <ul aria-label={caption} className={styles.list}>
      {rows.map((row) => (
        <li key={rowKey(row)} className={styles.item}>
          <dl className={styles.values}>
            {columns.map(({ key, header, cell }) => (
              <div key={key} className={styles.pair}>
                <dt>
                  <SentenceCase>{header}</SentenceCase>
                </dt>
                <dd>{cell(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}
