import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import { SentenceCase } from '@/ui/text/SentenceCase';
import styles from './StatusPill.module.css';

export type Tone = 'success' | 'info' | 'warning' | 'danger' | 'neutral';

/** A short status label. The color only repeats what the text says. */
export function StatusPill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={classNames(styles.pill, styles[tone])}>
      <SentenceCase>{children}</SentenceCase>
    </span>
  );
}
