import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { siteOptions } from '@/lib/api/queries';
import type { Brand } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { BorderLink } from '@/ui/BorderLink';
import { Logo } from '@/ui/Logo';
import { BrandLogos } from './BrandLogos';
import styles from './Header.module.css';
import { HelpLink } from './HelpLink';

/** Brand, help and the profile menu, if there is one; below them the three services. */
export function Header({ menu }: { menu: ReactNode }) {
  const { data: site } = useQuery(siteOptions);
  const signedIn = useAuth(({ token }) => token !== null);
  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <BrandLink brand={site?.brand} to={signedIn ? paths.dashboard : paths.landing} />
        <div className={styles.ways}>
          {site && <HelpLink site={site} />}
          {menu}
        </div>
      </div>
      {site?.brand.showSubLogos && (
        <div className={styles.subLogos}>
          <BrandLogos label="Our services" services={site.services} height={24} />
        </div>
      )}
    </header>
  );
}

/** Home, by the brand's logo; by its name where it has none. */
function BrandLink({ brand, to }: { brand: Brand | undefined; to: string }) {
  return (
    <BorderLink
      to={to}
      className={styles.brand}
      aria-label={brand?.name ? `${brand.name} home` : 'Home'}
    >
      {brand?.logoUrl ? (
        <Logo src={brand.logoUrl} darkSrc={brand.logoDarkUrl} name="" height={36} />
      ) : (
        brand?.name
      )}
    </BorderLink>
  );
}
