import type { ReactNode } from 'react';
import { classNames } from '@/ui/classNames';
import styles from './Columns.module.css';

interface ColumnsProps {
  children: ReactNode;
  /** Beside the content on a wide screen, below it otherwise. */
  aside: ReactNode;
  /** Above the content instead of below it, because it is what the content is about. */
  asideFirst?: boolean;
}

/** Content of a readable width, with a summary or other ways beside it. */
export function Columns({ children, aside, asideFirst = false }: ColumnsProps) {
  const beside = <div className={classNames(styles.column, styles.aside)}>{aside}</div>;
  return (
    <div className={styles.columns}>
      {asideFirst && beside}
      <div className={styles.column}>{children}</div>
      {!asideFirst && beside}
    </div>
  );
}
