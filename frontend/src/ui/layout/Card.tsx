import type { ReactNode } from 'react';
import { classNames } from '@/ui/classNames';
import styles from './Card.module.css';

interface CardProps {
  as?: 'div' | 'section' | 'article' | 'li' | 'aside';
  /** The id of the heading that names it; sections and articles should have one. */
  labelledBy?: string;
  /** No padding, for content that reaches the edges. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
}

/** A raised surface. */
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
