import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from '@/ui/StatusPill.module.css';

export type Tone = 'success' | 'info' | 'warning' | 'danger' | 'neutral';

/** A state in a word or two; the colour only repeats what the words say. */
export function StatusPill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={classNames(styles.pill, styles[tone])}>{children}</span>;
}
