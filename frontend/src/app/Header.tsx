import { useQuery } from '@tanstack/react-query';
import { siteOptions } from '@/lib/api/queries';
import type { Brand } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { BorderLink } from '@/ui/BorderLink';
import { PersonIcon } from '@/ui/icons/icons';
import { Logo } from '@/ui/Logo';
import { Menu, type MenuItem } from '@/ui/Menu';
import { BrandLogos } from './BrandLogos';
import styles from './Header.module.css';
import { HelpLink } from './HelpLink';
import { logout } from './session';

/** The profile menu, top to bottom. A screen gets its line when it is built. */
const PROFILE_MENU: readonly MenuItem[] = [
  { label: 'Your Subscriptions', to: paths.manageSubscription },
  { label: 'Payment Methods', to: paths.paymentMethods },
  { label: 'Email Preferences', to: paths.emailPreferences },
  { label: 'Logout', onSelect: logout },
];

/** Brand and, for a signed-in subscriber, the profile menu; below it the three services. */
export function Header() {
  const { data: site } = useQuery(siteOptions);
  const signedIn = useAuth(({ token }) => token !== null);
  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <BrandLink brand={site?.brand} to={signedIn ? paths.dashboard : paths.landing} />
        <div className={styles.ways}>
          {site && <HelpLink site={site} />}
          {signedIn && <Menu label="Your profile" icon={<PersonIcon />} items={PROFILE_MENU} />}
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
