import type { StreamingService } from '@/lib/api/types';
import { darkLogo } from '@/lib/artwork';
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
      {services.map(({ id, name, logoUrl }) => (
        <li key={id}>
          <Logo src={logoUrl} darkSrc={darkLogo(logoUrl)} name={name} height={height} />
        </li>
      ))}
    </ul>
  );
}
