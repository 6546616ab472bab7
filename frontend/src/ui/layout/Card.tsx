import type { ReactNode } from 'react';
import { classNames } from '@/ui/classNames';
import styles from './Card.module.css';

interface CardProps {
  as?: 'div' | 'section' | 'article' | 'li';
  /** The id of the heading that names it; sections and articles should have one. */
  labelledBy?: string;
  className?: string;
  children: ReactNode;
}

/** A raised surface. */
export function Card({ as: Tag = 'div', labelledBy, className, children }: CardProps) {
  return (
    <Tag aria-labelledby={labelledBy} className={classNames(styles.card, className)}>
      {children}
    </Tag>
  );
}
