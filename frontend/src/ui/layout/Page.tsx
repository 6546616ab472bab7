import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from './Page.module.css';

interface PageProps {
  children: ReactNode;
  /** Narrow for text and forms, wide for columns and tables. */
  width?: 'narrow' | 'wide';
}

/** The column of a screen, with even spacing between its parts. */
export function Page({ children, width = 'narrow' }: PageProps) {
  return (
    <div className={classNames(styles.page, width === 'narrow' && styles.narrow)}>{children}</div>
  );
}
