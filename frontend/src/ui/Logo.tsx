import styles from '@/ui/Logo.module.css';

interface LogoProps {
  src: string;
  /** The brand's or service's name; empty where it is written beside the logo. */
  name: string;
  /** Height in px; the width follows, up to six times that. */
  height?: number;
}

/** A brand's or service's logo, its place held before it arrives. */
export function Logo({ src, name, height = 32 }: LogoProps) {
  return (
    <img src={src} alt={name} className={styles.logo} style={{ height, maxWidth: height * 6 }} />
  );
}
