import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from '@/ui/Page.module.css';

interface PageProps {
  children: ReactNode;
  /** Narrow for reading and forms, wide for the account home. */
  width?: 'narrow' | 'wide';
}

/** The column a screen lives in, with one rhythm between its parts. */
export function Page({ children, width = 'narrow' }: PageProps) {
  return <div className={classNames(styles.page, styles[width])}>{children}</div>;
}
