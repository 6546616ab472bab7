import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { siteOptions } from '@/lib/api/queries';
import type { Brand, Site } from '@/lib/api/types';
import { contactUrl } from '@/lib/brand';
import { pageAllowsSupportWidget } from '@/lib/page/pageSettings';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { Logo } from '@/ui/display/Logo';
import { AppLink } from '@/ui/navigation/AppLink';
import { ExternalLink } from '@/ui/navigation/TextLink';
import { BrandLogos } from './BrandLogos';
import styles from './Header.module.css';

/** The brand, the help link and the profile menu, if any, above the logos of the services. */
export function Header({ menu }: { menu: ReactNode }) {
  const { data: site } = useQuery(siteOptions);
  const signedIn = useAuth(({ token }) => token !== null);
  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <BrandLink brand={site?.brand} to={signedIn ? paths.dashboard : paths.landing} />
        <div className={styles.links}>
          {site && <HelpLink site={site} />}
          {menu}
        </div>
      </div>
      {site?.brand.showSubLogos && (
        <div className={styles.subLogos}>
          <div className={styles.services}>
            <BrandLogos label="Our services" services={site.services} height={24} />
          </div>
        </div>
      )}
    </header>
  );
}

/** The link home: the brand's logo, or its name if it has no logo. */
function BrandLink({ brand, to }: { brand: Brand | undefined; to: string }) {
  return (
    <AppLink
      to={to}
      className={styles.brand}
      aria-label={brand?.name ? `${brand.name} home` : 'Home'}
    >
      {brand?.logoUrl ? (
        <Logo src={brand.logoUrl} darkSrc={brand.logoDarkUrl} name="" height={36} />
      ) : (
        brand?.name
      )}
    </AppLink>
  );
}

/** A plain link to the help center, on pages without the support widget. */
function HelpLink({ site }: { site: Site }) {
  const url = contactUrl(site.brand);
  if (!url || (site.supportWidget && pageAllowsSupportWidget())) return null;
  return (
    <ExternalLink href={url} newTab>
      Help
    </ExternalLink>
  );
}
