import styles from './Skeleton.module.css';

interface SkeletonProps {
  /** Any CSS length. */
  width?: string;
  height?: string;
  radius?: 'text' | 'box' | 'pill';
}

const RADII = { text: 'var(--radius-s)', box: 'var(--radius-l)', pill: 'var(--radius-full)' };

/** A placeholder for loading content, hidden from screen readers. */
export function Skeleton({ width = '100%', height = '1em', radius = 'text' }: SkeletonProps) {
  return (
    <span
      aria-hidden="true"
      className={styles.skeleton}
      style={{ width, height, borderRadius: RADII[radius] }}
    />
  );
}
