import { Children, type ReactNode } from 'react';

import styles from './SentenceCase.module.css';

const WORD = /[A-Z]{2}/;

/** Draws a label that the specification sets in capitals in sentence case; its text stays as it is. */
export function SentenceCase({ children }: { children: ReactNode }) {
  return Children.map(children, (part) => (isInCapitals(part) ? <Drawn>{part}</Drawn> : part));
}

function isInCapitals(part: ReactNode): part is string {
  return typeof part === 'string' && WORD.test(part) && part === part.toUpperCase();
}

function Drawn({ children }: { children: string }) {
  return <span className={styles.drawn}>{children}</span>;
}
