import { useQuery } from '@tanstack/react-query';

import styles from '@/app/Footer.module.css';
import { siteOptions } from '@/lib/api/queries';
import type { Brand, StreamingService } from '@/lib/api/types';
import { Logo } from '@/ui/Logo';
import { ExternalLink } from '@/ui/TextLink';

/** Help, terms and privacy, the brands, and whose this is. */
export function Footer() {
  const { data: site } = useQuery(siteOptions);
  return (
    <footer className={styles.footer}>
      <div className={styles.inner}>
        {site && <FooterLinks brand={site.brand} />}
        {site && <BrandLogos services={site.services} />}
        <p className={styles.copyright}>
          © {new Date().getFullYear()} {site?.brand.name}
        </p>
      </div>
    </footer>
  );
}

/** An operator may leave a link empty, or switch the first one off; such a link is not drawn. */
function FooterLinks({ brand }: { brand: Brand }) {
  const links = [
    { text: 'Contact Customer Service', url: brand.contactLinkEnabled ? brand.helpCentreUrl : '' },
    { text: 'Terms of Service', url: brand.termsUrl },
    { text: 'Privacy Policy', url: brand.privacyUrl },
  ].filter(({ url }) => url);
  if (links.length === 0) return null;
  return (
    <ul className={styles.links}>
      {links.map(({ text, url }) => (
        <li key={text}>
          <ExternalLink href={url} newTab>
            {text}
          </ExternalLink>
        </li>
      ))}
    </ul>
  );
}

function BrandLogos({ services }: { services: readonly StreamingService[] }) {
  return (
    <ul className={styles.logos} aria-label="Our brands">
      {services.map(({ id, name, logoUrl }) => (
        <li key={id}>
          <Logo src={logoUrl} name={name} height={28} />
        </li>
      ))}
    </ul>
  );
}
