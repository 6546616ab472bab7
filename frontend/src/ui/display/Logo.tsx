import { classNames } from '@/ui/classNames';
import styles from './Logo.module.css';

interface LogoProps {
  src: string;
  /** The variant for dark mode; without it the logo gets a light background there. */
  darkSrc: string;
  /** The name of the brand or service; empty if it is written beside the logo. */
  name: string;
  /** Height in px; the width is at most six times that. */
  height?: number;
}

/** The logo of a brand or service. */
export function Logo({ src, darkSrc, name, height = 32 }: LogoProps) {
  return (
    <picture className={styles.picture}>
      {darkSrc && <source media="(prefers-color-scheme: dark)" srcSet={darkSrc} />}
      <img
        src={src}
        alt={name}
        className={classNames(styles.logo, !darkSrc && styles.plated)}
        style={{ height, maxWidth: height * 6 }}
      />
    </picture>
  );
}
