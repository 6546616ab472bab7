import { classNames } from '@/ui/classNames';
import styles from '@/ui/Logo.module.css';

interface LogoProps {
  src: string;
  /** The variant for dark ground; where it is empty the logo stands on a light plate there. */
  darkSrc: string;
  /** The brand's or service's name; empty where it is written beside the logo. */
  name: string;
  /** Height in px; the width follows, up to six times that. */
  height?: number;
}

/** A brand's or service's logo. */
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
