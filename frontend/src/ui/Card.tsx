import type { ReactNode } from 'react';

import styles from '@/ui/Card.module.css';
import { classNames } from '@/ui/classNames';

interface CardProps {
  as?: 'div' | 'section' | 'article' | 'li' | 'aside';
  /** Id of the heading that names it; a section or article should have one. */
  labelledBy?: string;
  /** Without inner space, for content that reaches the edges. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
}

/** A raised surface holding one thing. */
export function Card({
  as: Tag = 'div',
  labelledBy,
  flush = false,
  className,
  children,
}: CardProps) {
  return (
    <Tag
      aria-labelledby={labelledBy}
      className={classNames(styles.card, !flush && styles.padded, className)}
    >
      {children}
    </Tag>
  );
}
