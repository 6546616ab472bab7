import type { StreamingService } from '@/lib/api/types';
import { Logo } from '@/ui/display/Logo';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import styles from './BrandLogos.module.css';

interface BrandLogosProps {
  label: string;
  services: readonly StreamingService[];
  /** Height of each logo in px. */
  height: number;
}

/** The brands' logos in a row, each a link to watch if its service has a site. */
export function BrandLogos({ label, services, height }: BrandLogosProps) {
  return (
    <ul className={styles.logos} aria-label={label}>
      {services.map((service) => (
        <li key={service.id}>
          <BrandLogo service={service} height={height} />
        </li>
      ))}
    </ul>
  );
}

function BrandLogo({ service, height }: { service: StreamingService; height: number }) {
  const { name, logoUrl, logoDarkUrl, streamUrl } = service;
  const logo = logoUrl ? (
    <Logo src={logoUrl} darkSrc={logoDarkUrl} name={name} height={height} />
  ) : (
    name
  );
  if (!streamUrl) return logo;
  return (
    <a href={streamUrl} target="_blank" rel="noopener noreferrer" className={styles.watch}>
      <VisuallyHidden>Watch </VisuallyHidden>
      {logo}
      <VisuallyHidden> (opens in a new tab)</VisuallyHidden>
    </a>
  );
}
