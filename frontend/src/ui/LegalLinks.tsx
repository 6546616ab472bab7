import styles from '@/ui/LegalLinks.module.css';
import { ExternalLink } from '@/ui/TextLink';

interface LegalLinksProps {
  /** Empty where the brand has no such page; such a link is not drawn. */
  termsUrl: string;
  privacyUrl: string;
}

/** What one agrees to, on every screen that charges or signs in. */
export function LegalLinks({ termsUrl, privacyUrl }: LegalLinksProps) {
  if (!termsUrl && !privacyUrl) return null;
  return (
    <p className={styles.legal}>
      {termsUrl && (
        <ExternalLink href={termsUrl} newTab>
          Terms of Service
        </ExternalLink>
      )}
      {privacyUrl && (
        <ExternalLink href={privacyUrl} newTab>
          Privacy Policy
        </ExternalLink>
      )}
    </p>
  );
}
