import { useQuery } from '@tanstack/react-query';
import { siteOptions } from '@/lib/api/queries';
import type { Brand } from '@/lib/api/types';
import { contactUrl } from '@/lib/brand';
import { ExternalLink } from '@/ui/navigation/TextLink';
import { BrandLogos } from './BrandLogos';
import styles from './Footer.module.css';

/** Help, terms and privacy links, the brands' logos and the copyright line. */
export function Footer() {
  const { data: site } = useQuery(siteOptions);
  return (
    <footer className={styles.footer}>
      <div className={styles.inner}>
        {site && <FooterLinks brand={site.brand} />}
        {site && <BrandLogos label="Our brands" services={site.services} height={24} />}
        <p className={styles.copyright}>
          © {new Date().getFullYear()} {site?.brand.name}
        </p>
      </div>
    </footer>
  );
}

/** Skips links that operators left empty or switched off. */
function FooterLinks({ brand }: { brand: Brand }) {
  const links = [
    { text: 'Contact Customer Service', url: contactUrl(brand) },
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
