import type { StreamingService } from '@/lib/api/types';
import { Logo } from '@/ui/Logo';
import styles from './BrandLogos.module.css';

interface BrandLogosProps {
  label: string;
  services: readonly StreamingService[];
  /** Height of each logo in px. */
  height: number;
}

/** The brands' logos in a row. */
export function BrandLogos({ label, services, height }: BrandLogosProps) {
  return (
    <ul className={styles.logos} aria-label={label}>
      {services.map(({ id, name, logoUrl, logoDarkUrl }) => (
        <li key={id}>
          {logoUrl ? (
            <Logo src={logoUrl} darkSrc={logoDarkUrl} name={name} height={height} />
          ) : (
            name
          )}
        </li>
      ))}
    </ul>
  );
}
